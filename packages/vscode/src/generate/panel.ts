import { randomBytes } from 'node:crypto'
import * as vscode from 'vscode'
import { uriIn } from '../server/paths.js'
import type { GeneratedTest } from '../server/protocol.js'
import type { Texts } from '../texts.js'
import { panelPage } from './panel-page.js'

/** Tests that wait for a decision. */
export interface Proposal {
  readonly folder: vscode.WorkspaceFolder
  /** Of the function's file, relative to the folder. */
  readonly path: string
  readonly qualname: string
  readonly result: GeneratedTest
}

export interface PanelActions {
  /** Writes the tests. */
  accept(proposal: Proposal): Promise<void>
  /** Called when they are written. */
  accepted(proposal: Proposal): Promise<void>
  regenerate(proposal: Proposal): Promise<void>
  /** Shows an error to the user. */
  fail(error: unknown): void
}

type Message = { readonly action?: unknown; readonly line?: unknown }

/** The panel with generated tests; there is one, which shows the latest. */
export class TestPanel implements vscode.Disposable {
  readonly #media: vscode.Uri
  readonly #texts: Texts
  readonly #actions: PanelActions
  #panel: vscode.WebviewPanel | undefined
  #shown: { readonly proposal: Proposal; state: 'proposed' | 'accepted' | 'rejected' } | undefined

  constructor(extension: vscode.Uri, texts: Texts, actions: PanelActions) {
    this.#media = vscode.Uri.joinPath(extension, 'media')
    this.#texts = texts
    this.#actions = actions
  }

  show(proposal: Proposal): void {
    this.#shown = { proposal, state: 'proposed' }
    const panel = this.#panel ?? this.#open()
    panel.title = `Tests of ${proposal.qualname}`
    panel.reveal(undefined, true)
    this.#render()
  }

  dispose(): void {
    this.#panel?.dispose()
  }

  #open(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      'autotest.tests',
      'Tests',
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [this.#media] },
    )
    panel.webview.onDidReceiveMessage((message: Message) => {
      this.#act(message).catch((error: unknown) => this.#actions.fail(error))
    })
    panel.onDidDispose(() => {
      this.#panel = undefined
    })
    this.#panel = panel
    return panel
  }

  #render(): void {
    const webview = this.#panel?.webview
    const shown = this.#shown
    if (webview === undefined || shown === undefined) return
    const { proposal, state } = shown
    const at = (name: string): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.#media, name)).toString()
    webview.html = panelPage(
      { path: proposal.path, qualname: proposal.qualname, result: proposal.result, state },
      {
        cspSource: webview.cspSource,
        styleUri: at('panel.css'),
        scriptUri: at('panel.js'),
        nonce: randomBytes(16).toString('hex'),
      },
    )
  }

  async #act({ action, line }: Message): Promise<void> {
    const shown = this.#shown
    if (shown === undefined) return
    const { folder, path, result } = shown.proposal
    if (action === 'accept' && shown.state === 'proposed') {
      await this.#actions.accept(shown.proposal)
      shown.state = 'accepted'
      this.#render()
      await this.#actions.accepted(shown.proposal)
    } else if (action === 'reject' && shown.state === 'proposed') {
      shown.state = 'rejected'
      this.#render()
    } else if (action === 'regenerate') await this.#actions.regenerate(shown.proposal)
    else if (action === 'diff') await showDiff(shown.proposal, this.#texts)
    else if (action === 'open') await open(uriIn(folder, result.test_file), undefined)
    else if (action === 'line' && typeof line === 'number') await open(uriIn(folder, path), line)
  }
}

/** Shows what accepting would change in the test file. */
async function showDiff({ folder, result }: Proposal, texts: Texts): Promise<void> {
  const { test_file: path, code, files } = result
  const before = files.find((file) => file.path === path)?.before
  const left = before === undefined ? texts.put(`nothing/${path}`, '') : uriIn(folder, path)
  const right = texts.put(`proposed/${path}`, code)
  await vscode.commands.executeCommand('vscode.diff', left, right, `${path} (proposed tests)`)
}

async function open(uri: vscode.Uri, line: number | undefined): Promise<void> {
  const selection = line === undefined ? {} : { selection: new vscode.Range(line - 1, 0, line - 1, 0) }
  await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.One, ...selection })
}
