import * as vscode from 'vscode'
import type { ParsedFunctions } from '../functions/parsed-functions.js'
import type { TestRegistry } from '../functions/test-registry.js'
import { folderOf, isTestFile, pathIn } from '../server/paths.js'
import type { Servers } from '../server/servers.js'
import { debugTests } from './debug-tests.js'
import { type RunContext, runTests } from './run-tests.js'
import { SourceCoverages } from './source-coverage.js'
import { TestTree } from './test-tree.js'

export interface TestingOptions {
  readonly servers: Servers
  readonly functions: ParsedFunctions
  readonly registry: TestRegistry
  readonly onProblem: (error: unknown, folder: vscode.WorkspaceFolder) => void
}

/** The project's tests in the editor's own test explorer: run, debug, coverage, and again at each save. */
export class Testing implements vscode.Disposable {
  readonly #context: RunContext
  readonly #run: vscode.TestRunProfile
  readonly #subscriptions: vscode.Disposable[]

  constructor({ servers, functions, registry, onProblem }: TestingOptions) {
    const controller = vscode.tests.createTestController('autotest', 'autotest')
    const tree = new TestTree(controller, functions, onProblem)
    const coverages = new SourceCoverages()
    const context = { controller, tree, servers, coverages, onDidRun: () => registry.refresh() }
    this.#context = context
    this.#run = controller.createRunProfile(
      'Run',
      vscode.TestRunProfileKind.Run,
      (request, token) => this.#start(request, token),
      true,
      undefined,
      true,
    )
    controller.createRunProfile(
      'Debug',
      vscode.TestRunProfileKind.Debug,
      (request, token) => debugTests(context, request, token),
      true,
    )
    const coverage = controller.createRunProfile(
      'Run with Coverage',
      vscode.TestRunProfileKind.Coverage,
      (request, token) => runTests(context, request, token, true),
      true,
    )
    coverage.loadDetailedCoverage = async (_run, file) => coverages.details(file)
    coverage.loadDetailedCoverageForTest = async (_run, file, test) => coverages.detailsOfTest(file, test)
    this.#subscriptions = [
      controller,
      tree,
      // What was green for other code is no longer known to be.
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (document.languageId === 'python' && !isTestFile(document.uri.path))
          controller.invalidateTestResults()
      }),
    ]
  }

  /** Runs tests of a file by their names, as if they had been chosen in the explorer. Throws where they are not there. */
  async runNamed(folder: vscode.WorkspaceFolder, path: string, names: readonly string[]): Promise<void> {
    const file = await this.#context.tree.file(folder, path)
    const wanted = new Set(names)
    const items = (await this.#context.tree.testsBelow(file)).filter(({ label }) => wanted.has(label))
    if (items.length === 0)
      throw new Error(`${path} has no test ${names[0] ?? ''} any more: run autotest registry sync`)
    const source = new vscode.CancellationTokenSource()
    await runTests(this.#context, new vscode.TestRunRequest(items, undefined, this.#run), source.token, false)
    source.dispose()
  }

  dispose(): void {
    for (const each of this.#subscriptions) each.dispose()
  }

  async #start(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    if (request.continuous !== true) return runTests(this.#context, request, token, false)
    let running: Promise<void> = Promise.resolve()
    const listening = vscode.workspace.onDidSaveTextDocument((document) => {
      const folder = folderOf(document.uri)
      if (document.languageId !== 'python' || folder === undefined) return
      // A test file that is saved needs its own tests only; another source may change any.
      const include = isTestFile(document.uri.path)
        ? [...this.#context.controller.items].flatMap(([, item]) =>
            this.#context.tree.placeOf(item)?.path === pathIn(folder, document.uri) ? [item] : [],
          )
        : request.include
      const again = new vscode.TestRunRequest(include, request.exclude, this.#run, true)
      running = running.then(() => runTests(this.#context, again, token, false))
    })
    token.onCancellationRequested(() => listening.dispose())
  }
}
