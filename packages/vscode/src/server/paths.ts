import { relative, sep } from 'node:path'
import * as vscode from 'vscode'

/** Returns a file relative to its folder, as the server names it. */
export function pathIn(folder: vscode.WorkspaceFolder, uri: vscode.Uri): string {
  return relative(folder.uri.fsPath, uri.fsPath).split(sep).join('/')
}

export function uriIn(folder: vscode.WorkspaceFolder, path: string): vscode.Uri {
  return vscode.Uri.joinPath(folder.uri, ...path.split('/'))
}

/** Returns the folder of a file that is on the disk; undefined for others. */
export function folderOf(uri: vscode.Uri): vscode.WorkspaceFolder | undefined {
  return uri.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined
}

/** Returns the Python texts of a folder that are not saved: what is seen is what is run. */
export function unsavedFiles(folder: vscode.WorkspaceFolder): { filePath: string; text: string }[] {
  return vscode.workspace.textDocuments
    .filter(
      (document) =>
        document.isDirty &&
        document.languageId === 'python' &&
        folderOf(document.uri)?.uri.toString() === folder.uri.toString(),
    )
    .map((document) => ({ filePath: pathIn(folder, document.uri), text: document.getText() }))
}

/** Reports whether pytest takes a file for one of tests. */
export function isTestFile(path: string): boolean {
  const name = path.split('/').at(-1) ?? ''
  return name.endsWith('.py') && (name.startsWith('test_') || name.endsWith('_test.py'))
}
