import { type ChildProcess, fork } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Ended } from './sample.js'

const repository = resolve(import.meta.dirname, '../..')
const program = pathToFileURL(join(repository, 'build/modules/cli/program.js')).href

interface Reply {
  readonly id: number
  readonly ended?: Ended
  readonly failure?: string
}

/** One process that runs command lines, each after the one before it: the working directory is the process's. */
let host: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()
let requests = 0

/** Runs a command line as the built program would without a terminal, in a process that many tests share. */
export function runInHost(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Ended> {
  const reply = last.then(() => ask({ cwd, args, env }))
  last = reply.catch(() => undefined)
  return reply
}

function ask(request: {
  readonly cwd: string
  readonly args: readonly string[]
  readonly env: object
}): Promise<Ended> {
  host ??= start()
  const child = host
  const id = ++requests
  return new Promise((done, fail) => {
    const settle = (): void => {
      child.off('message', onMessage)
      child.off('exit', onExit)
    }
    const onMessage = (reply: Reply): void => {
      if (reply.id !== id) return
      settle()
      if (reply.ended === undefined) fail(new Error(reply.failure))
      else done(reply.ended)
    }
    const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
      settle()
      fail(
        new Error(
          `the process of the command line ended with ${code ?? signal}: autotest ${request.args.join(' ')}`,
        ),
      )
    }
    child.on('message', onMessage)
    child.on('exit', onExit)
    child.send({ id, ...request })
  })
}

function start(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'cli-host-program.js'), [program], {
    execArgv: [],
    stdio: 'inherit',
  })
  child.once('exit', () => {
    host = undefined
  })
  child.unref()
  child.channel?.unref()
  return child
}
