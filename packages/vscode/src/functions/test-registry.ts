import * as vscode from 'vscode'
import type { MappingWithRun } from '../server/protocol.js'
import type { Servers } from '../server/servers.js'

/** Which tests belong to which function, with their last run, as the server tells; kept until something of it changes. */
export class TestRegistry implements vscode.Disposable {
  readonly #servers: Servers
  readonly #known = new Map<string, Promise<Readonly<Record<string, MappingWithRun>>>>()
  readonly #changed = new vscode.EventEmitter<void>()
  readonly #watcher = vscode.workspace.createFileSystemWatcher(
    '**/{autotest.registry.json,.rora/registry.json}',
  )
  readonly onDidChange = this.#changed.event

  constructor(servers: Servers) {
    this.#servers = servers
    const changed = (): void => this.refresh()
    this.#watcher.onDidChange(changed)
    this.#watcher.onDidCreate(changed)
    this.#watcher.onDidDelete(changed)
  }

  /** Returns the tests of a function: `src/shop/calc.py` and `Order.total`. */
  async testsOf(
    folder: vscode.WorkspaceFolder,
    path: string,
    qualname: string,
  ): Promise<MappingWithRun | undefined> {
    const key = folder.uri.toString()
    const known =
      this.#known.get(key) ??
      this.#servers
        .request<{ readonly mappings: Readonly<Record<string, MappingWithRun>> }>(folder, 'registry', {})
        .then(({ mappings }) => mappings)
    this.#known.set(key, known)
    known.catch(() => this.#known.delete(key))
    const mappings = await known
    const name = `${path}::${qualname}`
    return Object.hasOwn(mappings, name) ? mappings[name] : undefined
  }

  refresh(): void {
    this.#known.clear()
    this.#changed.fire()
  }

  dispose(): void {
    this.#watcher.dispose()
    this.#changed.dispose()
  }
}
