import { type ChildProcess, spawn } from 'node:child_process'
import type * as vscode from 'vscode'
import {
  createMessageConnection,
  type MessageConnection,
  ProgressType,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node'
import { protocolVersion } from './protocol.js'

/** What a server is started with. */
export interface ServerStart {
  /** Node.js and the program, absolute. */
  readonly node: string
  readonly program: string
  /** Of the project, absolute. */
  readonly root: string
  readonly python: string | undefined
}

export interface ServerHello {
  readonly version: string
  readonly protocolVersion: number
  readonly warning?: string
}

export interface CallOptions {
  readonly token?: vscode.CancellationToken | undefined
  readonly onProgress?: ((text: string) => void) | undefined
}

/** Where a server tells what goes on. */
export interface ServerListener {
  log(text: string): void
  /** Called when the process has ended by itself. */
  onEnd(reason: string): void
}

const progress = new ProgressType<{ readonly text: string }>()
const endTimeoutMs = 3000

/** A running server of one project. */
export class Server {
  readonly #process: ChildProcess
  readonly #connection: MessageConnection
  readonly #log: (text: string) => void
  #number = 0
  #isClosed = false

  private constructor(child: ChildProcess, connection: MessageConnection, log: (text: string) => void) {
    this.#process = child
    this.#connection = connection
    this.#log = log
  }

  /** Starts a server and greets it. Throws where it cannot be started, or does not answer. */
  static async start(
    { node, program, root, python }: ServerStart,
    listener: ServerListener,
  ): Promise<{ readonly server: Server; readonly hello: ServerHello }> {
    const { ELECTRON_RUN_AS_NODE: _ours, ...env } = process.env
    const child = spawn(node, [program, 'serve'], { cwd: root, env, stdio: ['pipe', 'pipe', 'pipe'] })
    child.stderr.setEncoding('utf8').on('data', (text: string) => listener.log(text.trimEnd()))
    const connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    )
    // A process that has ended takes no more messages; each request is told so by its own error.
    child.stdin.on('error', () => undefined)
    const server = new Server(child, connection, listener.log)
    const ended = new Promise<never>((_resolve, reject) => {
      child.once('error', (error) => reject(new Error(`${node} cannot be started: ${error.message}`)))
      child.once('close', (code, signal) => {
        connection.dispose()
        const reason = `the server ended (${signal ?? `exit ${code}`})`
        if (!server.#isClosed) listener.onEnd(reason)
        reject(new Error(reason))
      })
    })
    ended.catch(() => undefined)
    connection.onError(([error]) => listener.log(error.message))
    connection.listen()
    const params = { projectRoot: root, protocolVersion, ...(python === undefined ? {} : { python }) }
    const hello = await Promise.race([
      connection.sendRequest<ServerHello>('initialize', params),
      ended,
    ]).catch((error: unknown) => {
      server.#isClosed = true
      child.kill()
      throw error
    })
    return { server, hello }
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Asks the server; the token's cancellation ends the work. */
  async request<Result>(
    method: string,
    params: object,
    { token, onProgress }: CallOptions = {},
  ): Promise<Result> {
    this.#number += 1
    const workDoneToken = `${method} ${this.#number}`
    const listening =
      onProgress && this.#connection.onProgress(progress, workDoneToken, ({ text }) => onProgress(text))
    const started = performance.now()
    try {
      const sent = { ...params, ...(onProgress === undefined ? {} : { workDoneToken }) }
      return token === undefined
        ? await this.#connection.sendRequest<Result>(method, sent)
        : await this.#connection.sendRequest<Result>(method, sent, token)
    } finally {
      listening?.dispose()
      this.#log(`${workDoneToken}: ${Math.round(performance.now() - started)} ms`)
    }
  }

  /** Ends the process and what it does. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const ended = new Promise((resolve) => this.#process.once('close', resolve))
    // Its input's end is its own.
    this.#process.stdin?.end()
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), endTimeoutMs)
    await (this.#process.exitCode === null && this.#process.signalCode === null ? ended : undefined)
    clearTimeout(timer)
  }
}
