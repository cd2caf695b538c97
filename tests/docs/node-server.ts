import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

/**
 * Starts a server that a page shows on a free port, until the test ends.
 *
 * @returns its port, once it says `listening on PORT`
 */
export function startShownServer(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const server = spawn(process.execPath, [...args], { cwd, env: { ...process.env, ...env, PORT: '0' } })
  onTestFinished(() => {
    server.kill()
  })
  return new Promise((resolve, reject) => {
    let said = ''
    const collect = (part: Buffer): void => {
      said += part.toString('utf8')
      const port = /listening on (\d+)/.exec(said)?.[1]
      if (port !== undefined) resolve(Number(port))
    }
    server.stdout.on('data', collect)
    server.stderr.on('data', collect)
    server.on('exit', () => reject(new Error(`the server ended: ${said}`)))
  })
}
