import * as vscode from 'vscode'

/** Texts that no file has: what is proposed, and what is told. */
export class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  static readonly scheme = 'autotest'
  readonly #texts = new Map<string, string>()
  readonly #changed = new vscode.EventEmitter<vscode.Uri>()
  readonly onDidChange = this.#changed.event

  /** Returns an address under which the editor finds a text; the end of `path` decides the language. */
  put(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: Texts.scheme, path: `/${path}` })
    this.#texts.set(uri.toString(), text)
    this.#changed.fire(uri)
    return uri
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? ''
  }

  /** Forgets the text of a document that is closed. */
  forget(uri: vscode.Uri): void {
    if (uri.scheme === Texts.scheme) this.#texts.delete(uri.toString())
  }

  dispose(): void {
    this.#changed.dispose()
  }
}
