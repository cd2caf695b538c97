import * as vscode from 'vscode'
import type { ParsedFunction, Survivor } from '../server/protocol.js'
import { type LineChange, lineAfter } from './moved-lines.js'

const code = 'surviving-change'

/** Where a function is, lines from 0. */
interface FunctionLines {
  readonly qualname: string
  readonly start: number
  readonly end: number
}

interface ShownSurvivor {
  readonly function: FunctionLines
  readonly number: number
  readonly diagnostic: vscode.Diagnostic
}

/** Diagnostics for changes of functions that no test notices, with the quick fix that writes a test. */
export class SurvivorDiagnostics implements vscode.CodeActionProvider, vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('autotest')
  readonly #shown = new Map<string, readonly ShownSurvivor[]>()
  readonly #subscription: vscode.Disposable

  constructor() {
    this.#subscription = vscode.workspace.onDidChangeTextDocument((event) => this.#follow(event))
  }

  /** Shows the survivors of one function in place of those that it had. */
  show(
    document: vscode.TextDocument,
    { qualname, line_number: first, end_line_number: last }: ParsedFunction,
    survivors: readonly Survivor[],
  ): void {
    const lines = { qualname, start: first - 1, end: last - 1 }
    const others = (this.#shown.get(document.uri.toString()) ?? []).filter(
      (each) => each.function.qualname !== qualname,
    )
    const own = survivors
      .filter(({ line }) => line <= document.lineCount)
      .map((survivor) => ({
        function: lines,
        number: survivor.number,
        diagnostic: diagnosticOf(document, survivor),
      }))
    this.#set(document.uri, [...others, ...own])
  }

  provideCodeActions(
    document: vscode.TextDocument,
    _range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const shown = this.#shown.get(document.uri.toString()) ?? []
    return diagnostics
      .filter((each) => each.code === code)
      .flatMap((each) => {
        const found = shown.find(
          ({ diagnostic }) => diagnostic.message === each.message && diagnostic.range.isEqual(each.range),
        )
        return found === undefined ? [] : [fixOf(document, found)]
      })
  }

  dispose(): void {
    this.#subscription.dispose()
    this.#collection.dispose()
  }

  #set(uri: vscode.Uri, shown: readonly ShownSurvivor[]): void {
    this.#shown.set(uri.toString(), shown)
    this.#collection.set(
      uri,
      shown.map(({ diagnostic }) => diagnostic),
    )
  }

  /** Moves diagnostics with their lines; those of a function that was changed are no longer true. */
  #follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const before = this.#shown.get(document.uri.toString())
    if (before === undefined || before.length === 0 || contentChanges.length === 0) return
    let after = before
    for (const { range, text } of contentChanges) {
      const change = {
        start: range.start.line,
        end: range.end.line,
        addedLines: text.split('\n').length - 1,
      }
      after = after.flatMap((each) => moved(each, change))
    }
    this.#set(document.uri, after)
  }
}

/** Returns a survivor where it is after a change; nothing where the change is within its function. */
function moved(survivor: ShownSurvivor, change: LineChange): ShownSurvivor[] {
  const { function: lines, diagnostic, number } = survivor
  const start = lineAfter(lines.start, change)
  const end = lineAfter(lines.end, change)
  const { start: from, end: to } = diagnostic.range
  const line = lineAfter(from.line, change)
  const isWithin = change.start <= lines.end && change.end >= lines.start
  if (isWithin || start === undefined || end === undefined || line === undefined) return []
  const next = diagnosticAt(new vscode.Range(line, from.character, line, to.character), diagnostic.message)
  return [{ number, function: { ...lines, start, end }, diagnostic: next }]
}

function diagnosticOf(document: vscode.TextDocument, { line, before, after }: Survivor): vscode.Diagnostic {
  const { text, firstNonWhitespaceCharacterIndex: start } = document.lineAt(line - 1)
  const range = new vscode.Range(line - 1, start, line - 1, text.trimEnd().length)
  const message = `No test notices this change: ${before} → ${after}`
  return diagnosticAt(range, message)
}

function diagnosticAt(range: vscode.Range, message: string): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Information)
  diagnostic.source = 'autotest'
  diagnostic.code = code
  return diagnostic
}

function fixOf(
  document: vscode.TextDocument,
  { function: { qualname }, number, diagnostic }: ShownSurvivor,
): vscode.CodeAction {
  const action = new vscode.CodeAction('Write a test for it', vscode.CodeActionKind.QuickFix)
  action.diagnostics = [diagnostic]
  action.isPreferred = true
  action.command = {
    title: action.title,
    command: 'autotest.generateTests',
    arguments: [document.uri, qualname, { mutant: number }],
  }
  return action
}
