import * as vscode from 'vscode'
import { describeError, isCancelled } from '../server/describe-error.js'
import { unsavedFiles, uriIn } from '../server/paths.js'
import type { CoveredFile, TestResult } from '../server/protocol.js'
import type { Servers } from '../server/servers.js'
import type { SourceCoverages } from './source-coverage.js'
import { outcomeOf, runProblem } from './test-outcomes.js'
import type { TestTree } from './test-tree.js'

export interface RunContext {
  readonly controller: vscode.TestController
  readonly tree: TestTree
  readonly servers: Servers
  readonly coverages: SourceCoverages
  /** Called when tests have been run. */
  readonly onDidRun: () => void
}

/** Tests of one file that are to be run. */
export interface TestFileRun {
  readonly folder: vscode.WorkspaceFolder
  readonly path: string
  /** By their name within the file. */
  readonly items: ReadonlyMap<string, vscode.TestItem>
  /** Whether they are all that the file has. */
  readonly isWhole: boolean
}

/** Runs what a request names in the server's sandbox, file by file, and tells the outcome of each test. */
export async function runTests(
  context: RunContext,
  request: vscode.TestRunRequest,
  token: vscode.CancellationToken,
  withCoverage: boolean,
): Promise<void> {
  const run = context.controller.createTestRun(request)
  try {
    const files = await filesOf(context, request)
    for (const { items } of files) for (const item of items.values()) run.enqueued(item)
    const covered = new Map<vscode.WorkspaceFolder, CoveredFile[]>()
    for (const file of files) {
      if (token.isCancellationRequested) break
      const files = await runFile(context, run, file, token, withCoverage)
      covered.set(file.folder, [...(covered.get(file.folder) ?? []), ...files])
    }
    for (const [folder, files] of covered) context.coverages.add(run, folder, files, context.tree)
  } finally {
    run.end()
    context.onDidRun()
  }
}

async function runFile(
  { servers }: RunContext,
  run: vscode.TestRun,
  { folder, path, items, isWhole }: TestFileRun,
  token: vscode.CancellationToken,
  withCoverage: boolean,
): Promise<readonly CoveredFile[]> {
  for (const item of items.values()) run.started(item)
  const params = {
    testPath: path,
    unsaved: unsavedFiles(folder),
    seconds: vscode.workspace.getConfiguration('autotest', folder).get<number>('run.seconds', 300),
    ...(isWhole ? {} : { tests: [...items.keys()] }),
  }
  try {
    const { tests, files } = withCoverage
      ? await servers.request<{ tests: readonly TestResult[]; files: readonly CoveredFile[] }>(
          ...([folder, 'test_coverage', params, { token }] as const),
        )
      : {
          tests: await servers.request<readonly TestResult[]>(folder, 'run_tests', params, { token }),
          files: [],
        }
    report(run, folder, path, items, tests)
    return files
  } catch (error) {
    for (const item of items.values()) {
      if (token.isCancellationRequested || isCancelled(error)) run.skipped(item)
      else run.errored(item, new vscode.TestMessage(describeError(error)))
    }
    return []
  }
}

/** Tells the outcome of each test of a file. */
export function report(
  run: vscode.TestRun,
  folder: vscode.WorkspaceFolder,
  path: string,
  items: ReadonlyMap<string, vscode.TestItem>,
  results: readonly TestResult[],
): void {
  const problem = runProblem(path, results)
  for (const [name, item] of items) {
    const outcome = outcomeOf(`${path}::${name}`, results)
    if (outcome === undefined) {
      run.errored(item, new vscode.TestMessage(problem ?? 'pytest did not run it'))
      continue
    }
    const messages = outcome.messages.map(({ text, line }) =>
      messageOf(text, line, uriIn(folder, path), item),
    )
    if (outcome.kind === 'passed') run.passed(item, outcome.ms)
    else if (outcome.kind === 'skipped') run.skipped(item)
    else if (outcome.kind === 'failed') run.failed(item, messages, outcome.ms)
    else run.errored(item, messages, outcome.ms)
    const said = [outcome.kind, ...outcome.messages.map(({ text }) => text)].join('\n')
    run.appendOutput(`${path}::${name} ${said}\n`.replace(/\r?\n/g, '\r\n'), undefined, item)
  }
}

function messageOf(
  text: string,
  line: number | undefined,
  uri: vscode.Uri,
  item: vscode.TestItem,
): vscode.TestMessage {
  // The value that came is on the left, as tests are usually written.
  const [, actual, expected] = /^assert (.+?) == (.+)$/m.exec(text) ?? []
  const message =
    expected === undefined || actual === undefined
      ? new vscode.TestMessage(text)
      : vscode.TestMessage.diff(text, expected, actual)
  const range = line === undefined ? item.range : new vscode.Range(line - 1, 0, line - 1, 0)
  if (range !== undefined) message.location = new vscode.Location(uri, range)
  return message
}

/** Returns the tests that a request names, by their files. */
export async function filesOf(
  { controller, tree }: Pick<RunContext, 'controller' | 'tree'>,
  { include, exclude }: vscode.TestRunRequest,
): Promise<readonly TestFileRun[]> {
  // Whoever runs all of them need not have looked at them first.
  if (include === undefined) await tree.findFiles()
  const chosen = include ?? [...controller.items].map(([, item]) => item)
  const left = new Set((exclude ?? []).map(({ id }) => id))
  const isLeftOut = (item: vscode.TestItem | undefined): boolean =>
    item !== undefined && (left.has(item.id) || isLeftOut(item.parent))
  const files = new Map<
    string,
    { folder: vscode.WorkspaceFolder; path: string; items: Map<string, vscode.TestItem> }
  >()
  const whole = new Set<string>()
  for (const item of chosen) {
    const place = tree.placeOf(item)
    if (place === undefined) continue
    const key = vscode.Uri.joinPath(place.folder.uri, place.path).toString()
    if (item.parent === undefined && left.size === 0) whole.add(key)
    const file = files.get(key) ?? { folder: place.folder, path: place.path, items: new Map() }
    files.set(key, file)
    for (const test of await tree.testsBelow(item)) {
      const name = tree.placeOf(test)?.test
      if (name !== undefined && !isLeftOut(test)) file.items.set(name, test)
    }
  }
  return [...files].flatMap(([key, file]) =>
    file.items.size === 0 ? [] : [{ ...file, isWhole: whole.has(key) }],
  )
}
