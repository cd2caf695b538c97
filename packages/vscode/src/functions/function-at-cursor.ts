import * as vscode from 'vscode'
import { isReachable } from './function-lenses.js'
import type { ParsedFunctions } from './parsed-functions.js'

/** A function of a file, as commands are given it. */
export interface FunctionPlace {
  readonly uri: vscode.Uri
  readonly qualname: string
}

/** Returns the function that a lens named, else the innermost one around the cursor. Throws where there is none. */
export async function functionAt(
  functions: ParsedFunctions,
  uri: vscode.Uri | undefined,
  qualname: string | undefined,
): Promise<FunctionPlace> {
  if (uri !== undefined && qualname !== undefined) return { uri, qualname }
  const editor = vscode.window.activeTextEditor
  if (editor?.document.languageId !== 'python')
    throw new Error('Open a Python file, and put the cursor in a function')
  const line = editor.selection.active.line + 1
  const around = (await functions.of(editor.document))
    .filter(isReachable)
    .filter((each) => each.line_number <= line && line <= each.end_line_number)
  const innermost = around.sort((a, b) => b.line_number - a.line_number)[0]
  if (innermost === undefined) throw new Error('Put the cursor in a function')
  return { uri: editor.document.uri, qualname: innermost.qualname }
}
