import { type ChildProcess, spawn } from 'node:child_process'
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node'
import { cli } from './sample.js'

const servers: ChildProcess[] = []

/** A server in a project, ended by `killServers`. */
export function startServer(root: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  const server = spawn(process.execPath, [cli, 'serve'], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // What is said may be listened to, and does not fill a pipe.
  server.stderr?.resume()
  servers.push(server)
  return server
}

export function connect(
  root: string,
  env: Readonly<Record<string, string>> = {},
): {
  readonly connection: MessageConnection
  readonly server: ChildProcess
} {
  const server = startServer(root, env)
  if (server.stdout === null || server.stdin === null) throw new Error('no streams')
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  )
  connection.listen()
  return { connection, server }
}

export function killServers(): void {
  for (const server of servers.splice(0)) server.kill('SIGKILL')
}
