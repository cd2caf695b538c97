import * as vscode from 'vscode'
import { folderOf } from './server/paths.js'

/** Lenses of a document that lies in an open folder, where a setting does not say otherwise. */
export abstract class ProjectLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #setting: string
  readonly #onProblem: (error: unknown, folder: vscode.WorkspaceFolder) => void
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChangeCodeLenses = this.#changed.event

  /**
   * @param setting that turns them off
   * @param onProblem called where the server cannot tell what is in a document
   */
  constructor(setting: string, onProblem: (error: unknown, folder: vscode.WorkspaceFolder) => void) {
    this.#setting = setting
    this.#onProblem = onProblem
  }

  refresh(): void {
    this.#changed.fire()
  }

  async provideCodeLenses(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<vscode.CodeLens[]> {
    const folder = folderOf(document.uri)
    if (folder === undefined || !this.isAbout(document)) return []
    if (!vscode.workspace.getConfiguration('autotest', document).get<boolean>(this.#setting, true)) return []
    try {
      return await this.lensesOf(document, folder, token)
    } catch (error) {
      if (!token.isCancellationRequested) this.#onProblem(error, folder)
      return []
    }
  }

  dispose(): void {
    this.#changed.dispose()
  }

  /** Reports whether a document may have lenses, without asking the server. */
  protected abstract isAbout(document: vscode.TextDocument): boolean

  protected abstract lensesOf(
    document: vscode.TextDocument,
    folder: vscode.WorkspaceFolder,
    token: vscode.CancellationToken,
  ): Promise<vscode.CodeLens[]>
}
