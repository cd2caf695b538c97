import * as vscode from 'vscode'
import { isSameText, withoutMark } from './same-text.js'
import { uriIn } from './server/paths.js'

/** A file before and after; `before` is undefined or null for a new one. */
export interface ProposedFile {
  /** Relative to the folder. */
  readonly path: string
  readonly before?: string | null | undefined
  readonly after: string
}

/**
 * Writes files through the editor, so that it can be undone, and saves them. Throws, writing nothing, where one of them is no longer what it
 * was when the proposal was made.
 */
export async function writeFiles(
  folder: vscode.WorkspaceFolder,
  files: readonly ProposedFile[],
): Promise<void> {
  const edit = new vscode.WorkspaceEdit()
  for (const { path, before, after } of files) {
    const uri = uriIn(folder, path)
    const current = await textOf(uri)
    const isAsBefore =
      current === undefined || before === undefined || before === null
        ? current === (before ?? undefined)
        : isSameText(current, before)
    if (!isAsBefore)
      throw new Error(`${path} has changed since the tests were generated: generate them again`)
    if (current === undefined) edit.createFile(uri, { contents: new TextEncoder().encode(after) })
    else edit.replace(uri, new vscode.Range(0, 0, Number.MAX_SAFE_INTEGER, 0), withoutMark(after))
  }
  if (!(await vscode.workspace.applyEdit(edit))) throw new Error('the editor did not accept the change')
  for (const { path } of files) {
    const document = await vscode.workspace.openTextDocument(uriIn(folder, path))
    if (document.isDirty && !(await document.save())) throw new Error(`${path} could not be saved`)
  }
}

/** Returns the text of a file, with what is not saved of it; undefined if there is none. */
async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString())
  if (open !== undefined) return open.getText()
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri))
  } catch {
    return undefined
  }
}
