import * as vscode from 'vscode'
import type { ServerState, Servers } from './server/servers.js'

/** The state of the servers in the status bar; a click leads to what can be done. */
export class Status implements vscode.Disposable {
  readonly #servers: Servers
  readonly #item = vscode.window.createStatusBarItem('autotest', vscode.StatusBarAlignment.Left, 10)
  readonly #gates = new Map<string, number>()

  constructor(servers: Servers) {
    this.#servers = servers
    this.#item.name = 'autotest'
    this.#item.command = 'autotest.showStatus'
    servers.onDidChangeState(() => this.#update())
    this.#update()
  }

  /** @param count of the gates of a folder that wait */
  setGates(folder: vscode.WorkspaceFolder, count: number): void {
    this.#gates.set(folder.uri.toString(), count)
    this.#update()
  }

  dispose(): void {
    this.#item.dispose()
  }

  #update(): void {
    const folders = vscode.workspace.workspaceFolders ?? []
    const states = folders.map((folder) => ({ folder, state: this.#servers.stateOf(folder) }))
    const gates = [...this.#gates.values()].reduce((sum, count) => sum + count, 0)
    const waiting = gates === 0 ? '' : ` ${gates} ${gates === 1 ? 'gate' : 'gates'}`
    const worst =
      states.find(({ state }) => state.kind === 'failed' || state.kind === 'missing' || hasProblem(state)) ??
      states.find(({ state }) => state.kind === 'starting')
    this.#item.text = `${iconOf(worst?.state)} autotest${waiting}`
    this.#item.tooltip = states.map(({ folder, state }) => `${folder.name}: ${stateText(state)}`).join('\n')
    this.#item.accessibilityInformation = { label: `autotest, ${this.#item.tooltip}${waiting}` }
    this.#item.show()
  }
}

function hasProblem(state: ServerState): boolean {
  return state.kind === 'ready' && state.problem !== undefined
}

function iconOf(state: ServerState | undefined): string {
  if (state === undefined) return '$(beaker)'
  if (state.kind === 'starting') return '$(sync~spin)'
  return state.kind === 'failed' ? '$(error)' : '$(warning)'
}

function stateText(state: ServerState): string {
  switch (state.kind) {
    case 'idle':
      return 'the server is not started yet'
    case 'starting':
      return 'the server starts'
    case 'ready':
      return state.problem ?? `server ${state.version}`
    case 'missing':
      return 'the server is not installed'
    case 'failed':
      return state.reason
  }
}

/** Asks what to do, with the state of each folder in front. */
export async function showStatus(servers: Servers): Promise<void> {
  const states = (vscode.workspace.workspaceFolders ?? []).map(
    (folder) => `${folder.name}: ${stateText(servers.stateOf(folder))}`,
  )
  const actions = [
    { label: '$(refresh) Restart Server', command: 'autotest.restartServer' },
    { label: '$(output) Show Log', command: 'autotest.showLog' },
    { label: '$(question) Answer a Gate', command: 'autotest.answerGate' },
  ]
  const chosen = await vscode.window.showQuickPick(actions, {
    title: 'autotest',
    placeHolder: states.join(' · ') || 'no folder is open',
  })
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command)
}
