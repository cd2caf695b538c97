import * as vscode from 'vscode'
import { folderOf, isTestFile, pathIn } from '../server/paths.js'
import type { MappingWithRun, ParsedFunction } from '../server/protocol.js'
import type { ParsedFunctions } from './parsed-functions.js'
import { runTitle } from './run-title.js'
import type { TestRegistry } from './test-registry.js'

/** How long a document has to be left alone before it is parsed again. */
const quietMs = 300

/** "Generate tests" and "Run tests" above each function and method of an open document. */
export class FunctionLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #functions: ParsedFunctions
  readonly #registry: TestRegistry
  readonly #onProblem: (error: unknown, folder: vscode.WorkspaceFolder) => void
  readonly #changed = new vscode.EventEmitter<void>()
  readonly #edited = new Map<string, number>()
  readonly #subscriptions: vscode.Disposable[]
  readonly onDidChangeCodeLenses = this.#changed.event

  /** @param onProblem called where functions cannot be read for another reason than their syntax */
  constructor(
    functions: ParsedFunctions,
    registry: TestRegistry,
    onProblem: (error: unknown, folder: vscode.WorkspaceFolder) => void,
  ) {
    this.#functions = functions
    this.#registry = registry
    this.#onProblem = onProblem
    this.#subscriptions = [
      this.#changed,
      registry.onDidChange(() => this.#changed.fire()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#edited.set(document.uri.toString(), Date.now())
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.#edited.delete(document.uri.toString())
        functions.forget(document)
      }),
    ]
  }

  refresh(): void {
    this.#changed.fire()
  }

  async provideCodeLenses(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<vscode.CodeLens[]> {
    const folder = folderOf(document.uri)
    if (folder === undefined || isOfTests(document)) return []
    if (!vscode.workspace.getConfiguration('autotest', document).get<boolean>('codeLens.functions', true))
      return []
    await this.#quiet(document, token)
    if (token.isCancellationRequested) return []
    try {
      const path = pathIn(folder, document.uri)
      const functions = (await this.#functions.of(document)).filter(isReachable)
      const tests = await Promise.all(
        functions.map(({ qualname }) => this.#registry.testsOf(folder, path, qualname)),
      )
      return functions.flatMap((each, at) => lensesOf(document.uri, each, tests[at]))
    } catch (error) {
      if (!token.isCancellationRequested) this.#onProblem(error, folder)
      return []
    }
  }

  dispose(): void {
    for (const each of this.#subscriptions) each.dispose()
  }

  /** Waits until a document has been left alone. The editor waits by itself, so that this is short or nothing. */
  async #quiet(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<void> {
    const rest = (): number => quietMs - (Date.now() - (this.#edited.get(document.uri.toString()) ?? 0))
    for (let ms = rest(); ms > 0 && !token.isCancellationRequested; ms = rest())
      await new Promise((resolve) => setTimeout(resolve, ms))
  }
}

function isOfTests({ fileName }: vscode.TextDocument): boolean {
  const path = fileName.replaceAll('\\', '/')
  return isTestFile(path) || path.endsWith('/conftest.py')
}

/** A function within another one is reached by no test. */
export function isReachable({ qualname }: Pick<ParsedFunction, 'qualname'>): boolean {
  return !qualname.includes('<locals>')
}

function lensesOf(
  uri: vscode.Uri,
  { line_number: line, qualname }: ParsedFunction,
  tests: MappingWithRun | undefined,
): vscode.CodeLens[] {
  const range = new vscode.Range(line - 1, 0, line - 1, 0)
  return [
    new vscode.CodeLens(range, {
      title: 'Generate tests',
      tooltip: `Write tests for ${qualname}, and show them before they are saved`,
      command: 'autotest.generateTests',
      arguments: [uri, qualname],
    }),
    new vscode.CodeLens(range, {
      title: runTitle(tests),
      tooltip:
        tests === undefined
          ? `${qualname} has no tests yet`
          : `${tests.testNames.join(', ')} in ${tests.testFile}`,
      command: 'autotest.runTestsOfFunction',
      arguments: [uri, qualname],
    }),
  ]
}
