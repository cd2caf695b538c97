import { spawn } from 'node:child_process'
import { freePort } from './unprivileged.js'

/** A program between client and server that forwards bytes, until it is stopped: then the network is silent. */
export interface StoppableProxy {
  readonly port: number
  stop(): void
  goOn(): void
  end(): void
}

const program = `
import { connect, createServer } from 'node:net'
const [, listened, target] = process.argv
createServer((client) => {
  const server = connect(Number(target), '127.0.0.1')
  for (const [from, to] of [[client, server], [server, client]]) {
    from.pipe(to)
    from.on('error', () => to.destroy())
  }
}).listen(Number(listened), '127.0.0.1', () => console.log('ready'))
`

export async function startProxy(target: number): Promise<StoppableProxy> {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', program, String(port), String(target)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return {
    port,
    stop: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    end: () => void child.kill('SIGKILL'),
  }
}
