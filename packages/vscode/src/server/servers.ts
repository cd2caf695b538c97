import { dirname, join } from 'node:path'
import * as vscode from 'vscode'
import { describeError, isEnvironmentProblem } from './describe-error.js'
import { findNode } from './find-node.js'
import { findServer } from './find-server.js'
import { protocolVersion } from './protocol.js'
import { chosenPython } from './python-interpreter.js'
import { type CallOptions, Server } from './server.js'

export type ServerState =
  | { readonly kind: 'idle' | 'starting' }
  | {
      readonly kind: 'ready'
      readonly version: string
      readonly program: string
      /** What keeps it from working with the project: no Python, no pytest, no sandbox. */
      readonly problem?: string
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly reason: string }

/** There is no server yet for a project. */
export class ServerMissing extends Error {}

/** How often a server that ends by itself is started again within a minute. */
const mostStarts = 3
const startsWithinMs = 60_000

/** The servers of the open folders: one for each, started when it is first asked. */
export class Servers implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel
  readonly #running = new Map<string, Promise<Server>>()
  readonly #states = new Map<string, ServerState>()
  /** The method that something keeps from working. */
  readonly #failing = new Map<string, string>()
  readonly #starts = new Map<string, number[]>()
  readonly #changed = new vscode.EventEmitter<vscode.WorkspaceFolder>()
  readonly onDidChangeState = this.#changed.event

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log
  }

  stateOf(folder: vscode.WorkspaceFolder): ServerState {
    return this.#states.get(folder.uri.toString()) ?? { kind: 'idle' }
  }

  /** Asks the server of a folder, and starts it first where it does not run. Throws `ServerMissing` where none is installed. */
  async request<Result>(
    folder: vscode.WorkspaceFolder,
    method: string,
    params: object,
    options: CallOptions = {},
  ): Promise<Result> {
    const server = await this.#serverOf(folder)
    try {
      const result = await server.request<Result>(method, params, options)
      this.#setProblem(folder, method, undefined)
      return result
    } catch (error) {
      if (isEnvironmentProblem(error)) this.#setProblem(folder, method, describeError(error))
      throw error
    }
  }

  /** Ends the servers; each is started again by its next request. */
  async restart(folders: readonly vscode.WorkspaceFolder[]): Promise<void> {
    for (const folder of folders) this.#starts.delete(folder.uri.toString())
    await Promise.all(folders.map((folder) => this.#stop(folder)))
  }

  async closeFolder(folder: vscode.WorkspaceFolder): Promise<void> {
    await this.#stop(folder)
    this.#states.delete(folder.uri.toString())
  }

  dispose(): Promise<unknown> {
    this.#changed.dispose()
    const servers = [...this.#running.values()]
    this.#running.clear()
    return Promise.allSettled(servers.map(async (server) => (await server).close()))
  }

  #serverOf(folder: vscode.WorkspaceFolder): Promise<Server> {
    const key = folder.uri.toString()
    const known = this.#running.get(key)
    if (known !== undefined) return known
    const starting = this.#start(folder)
    this.#running.set(key, starting)
    starting.catch((error: unknown) => {
      if (this.#running.get(key) === starting) this.#running.delete(key)
      this.#setState(
        folder,
        error instanceof ServerMissing
          ? { kind: 'missing' }
          : { kind: 'failed', reason: describeError(error) },
      )
    })
    return starting
  }

  async #start(folder: vscode.WorkspaceFolder): Promise<Server> {
    if (!vscode.workspace.isTrusted)
      throw new Error('autotest starts nothing in a folder that is not trusted')
    const key = folder.uri.toString()
    const recent = (this.#starts.get(key) ?? []).filter((at) => Date.now() - at < startsWithinMs)
    if (recent.length >= mostStarts)
      throw new Error('the server has ended again and again: see the log, then restart it')
    this.#starts.set(key, [...recent, Date.now()])
    const settings = vscode.workspace.getConfiguration('autotest', folder)
    const root = folder.uri.fsPath
    const found = findServer({
      setting: settings.get<string>('server.path', ''),
      project: root,
      path: process.env['PATH'] ?? process.env['Path'] ?? '',
    })
    if (typeof found === 'string') throw new Error(found)
    if (found === undefined) throw new ServerMissing('there is no autotest server yet')
    this.#setState(folder, { kind: 'starting' })
    const node = await findNode(settings.get<string>('node.path', ''))
    const python = await chosenPython(folder)
    this.#log.info(`${folder.name}: ${node} ${found.program} serve (${found.source})`)
    if (python !== undefined) this.#log.info(`${folder.name}: Python ${python}`)
    const { server, hello } = await Server.start(
      { node, program: found.program, root, python },
      {
        log: (text) => this.#trace(settings, text),
        onEnd: (reason) => {
          this.#log.error(`${folder.name}: ${reason}`)
          this.#running.delete(key)
          this.#setState(folder, { kind: 'failed', reason })
        },
      },
    )
    this.#log.info(`${folder.name}: autotest ${hello.version}, process ${server.pid}`)
    if (hello.protocolVersion !== protocolVersion) this.#warnOfVersion(hello.version, found.program)
    this.#setState(folder, { kind: 'ready', version: hello.version, program: found.program })
    return server
  }

  #warnOfVersion(version: string, program: string): void {
    const text = `The autotest server ${version} in ${dirname(join(program, '..', '..'))} speaks another version of the protocol than this extension; some of it may not work. Build both from the same commit.`
    this.#log.warn(text)
    void vscode.window.showWarningMessage(text)
  }

  /** Requests with their times are shown if they are asked for; what the server says always is. */
  #trace(settings: vscode.WorkspaceConfiguration, text: string): void {
    const isRequest = /^\w+ \d+: \d+ ms$/.test(text)
    if (!isRequest) this.#log.warn(text)
    else if (settings.get<string>('trace', 'off') === 'messages') this.#log.info(text)
  }

  async #stop(folder: vscode.WorkspaceFolder): Promise<void> {
    const key = folder.uri.toString()
    const running = this.#running.get(key)
    this.#running.delete(key)
    await running?.then((server) => server.close()).catch(() => undefined)
    this.#setState(folder, { kind: 'idle' })
  }

  /** Shows what keeps a method from working, until it works again. */
  #setProblem(folder: vscode.WorkspaceFolder, method: string, problem: string | undefined): void {
    const state = this.stateOf(folder)
    const key = folder.uri.toString()
    if (state.kind !== 'ready' || (problem === undefined && this.#failing.get(key) !== method)) return
    if (problem === undefined) this.#failing.delete(key)
    else this.#failing.set(key, method)
    const { problem: _before, ...ready } = state
    this.#setState(folder, problem === undefined ? ready : { ...ready, problem })
  }

  #setState(folder: vscode.WorkspaceFolder, state: ServerState): void {
    this.#states.set(folder.uri.toString(), state)
    this.#changed.fire(folder)
  }
}
