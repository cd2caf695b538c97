import * as vscode from 'vscode'
import { ProjectLenses } from '../project-lenses.js'
import { isTestFile, pathIn } from '../server/paths.js'
import type { MappingWithRun, ParsedFunction } from '../server/protocol.js'
import type { ParsedFunctions } from './parsed-functions.js'
import { runTitle } from './run-title.js'
import type { TestRegistry } from './test-registry.js'

/** How long a document has to be left alone before it is parsed again. */
const quietMs = 300

/** "Generate tests" and "Run tests" above each function and method of an open document. */
export class FunctionLenses extends ProjectLenses {
  readonly #functions: ParsedFunctions
  readonly #registry: TestRegistry
  readonly #edited = new Map<string, number>()
  readonly #subscriptions: vscode.Disposable[]

  constructor(
    functions: ParsedFunctions,
    registry: TestRegistry,
    onProblem: (error: unknown, folder: vscode.WorkspaceFolder) => void,
  ) {
    super('codeLens.functions', onProblem)
    this.#functions = functions
    this.#registry = registry
    this.#subscriptions = [
      registry.onDidChange(() => this.refresh()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#edited.set(document.uri.toString(), Date.now())
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.#edited.delete(document.uri.toString())
        functions.forget(document)
      }),
    ]
  }

  override dispose(): void {
    for (const each of this.#subscriptions) each.dispose()
    super.dispose()
  }

  protected isAbout({ fileName }: vscode.TextDocument): boolean {
    const path = fileName.replaceAll('\\', '/')
    return !isTestFile(path) && !path.endsWith('/conftest.py')
  }

  protected async lensesOf(
    document: vscode.TextDocument,
    folder: vscode.WorkspaceFolder,
    token: vscode.CancellationToken,
  ): Promise<vscode.CodeLens[]> {
    await this.#quiet(document, token)
    if (token.isCancellationRequested) return []
    const path = pathIn(folder, document.uri)
    const functions = (await this.#functions.of(document)).filter(isReachable)
    const tests = await Promise.all(
      functions.map(({ qualname }) => this.#registry.testsOf(folder, path, qualname)),
    )
    return functions.flatMap((each, at) => lensesOfFunction(document.uri, each, tests[at]))
  }

  /** Waits until a document has been left alone. The editor waits by itself, so that this is short or nothing. */
  async #quiet(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<void> {
    const rest = (): number => quietMs - (Date.now() - (this.#edited.get(document.uri.toString()) ?? 0))
    for (let ms = rest(); ms > 0 && !token.isCancellationRequested; ms = rest())
      await new Promise((resolve) => setTimeout(resolve, ms))
  }
}

/** A function within another one is reached by no test. */
export function isReachable({ qualname }: Pick<ParsedFunction, 'qualname'>): boolean {
  return !qualname.includes('<locals>')
}

function lensesOfFunction(
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
