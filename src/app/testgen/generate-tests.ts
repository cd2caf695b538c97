import { posix } from 'node:path'
import { AutotestError, messageOf } from '../../errors.js'
import {
  type FunctionDescription,
  type MutantOutcome,
  mutantScore,
  type TestRun,
  testRun,
  writtenTests,
} from '../../testgen/python/worker-results.js'
import { importsModule, moduleNameOf, testPathOf } from '../../testgen/test-path.js'
import { withoutTest } from '../../testgen/without-test.js'
import { readWorkspaceFile, writeWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import { lastLine } from '../../text/last-line.js'
import type { FunctionTarget } from './function-targets.js'
import type { TestingSession } from './testing-session.js'

export interface GenerateOptions {
  readonly testsFolder: string | undefined
  /** Seconds for the search of one function. */
  readonly seconds: number
  readonly seed: number
  /** The only mutant that new tests are to notice; absent: all that none notices. */
  readonly mutant?: number | undefined
  /** Whether each mutant is to name all tests that notice it, and not the first only. */
  readonly allKillers?: boolean | undefined
  readonly onProgress: (text: string) => void
}

/** What was written for one function. */
export interface GeneratedTests {
  readonly target: FunctionTarget
  readonly testFile: string
  /** New tests; empty where there is nothing to add. */
  readonly names: readonly string[]
  readonly mutants: readonly MutantOutcome[]
  /** Why there are no tests. */
  readonly problem?: string | undefined
}

/** A test file before and after. */
export interface TestFileChange {
  readonly path: string
  readonly before: string | undefined
  readonly after: string
}

export interface Generated {
  readonly functions: readonly GeneratedTests[]
  readonly files: readonly TestFileChange[]
  /** Number of functions that were not reached, as the project's Python ended. */
  readonly notReached: number
}

const mutantSeconds = 60
const runSeconds = 30
/** How often tests that fail on the function as it is are dropped before its tests are given up. */
const revisions = 3

/** Writes tests for functions in the copy of the project; its files are the caller's to write. */
export async function generateTests(
  session: TestingSession,
  targets: readonly FunctionTarget[],
  options: GenerateOptions,
): Promise<Generated> {
  const texts: TestFiles = new Map()
  const functions: GeneratedTests[] = []
  for (const [number, target] of targets.entries()) {
    options.onProgress(`${number + 1} of ${targets.length}: ${target.path}::${target.description.qualname}`)
    const made = await generateFor(target, session, options, texts)
    functions.push(made.generated)
    if (made.stopped) break
  }
  const changed = [...texts].flatMap(([path, text]) =>
    text.before === text.after ? [] : [{ path, ...text }],
  )
  const files = [...changed, ...filesOfFolder(changed, session.files)]
  return { functions, files, notReached: targets.length - functions.length }
}

/** Files that a folder of this name is expected to have, beside its tests. */
const folderFiles: Readonly<Record<string, string>> = {
  '__init__.py': '',
  'conftest.py': '"""Fixtures that the tests of this folder share."""\n',
}

/** Returns what a folder `rora_tests` lacks, where tests are written to it. */
function filesOfFolder(changed: readonly TestFileChange[], present: readonly string[]): TestFileChange[] {
  const folders = new Set(changed.map(({ path }) => posix.dirname(path)))
  return [...folders]
    .filter((folder) => posix.basename(folder) === 'rora_tests')
    .flatMap((folder) =>
      Object.entries(folderFiles).map(([name, after]) => ({
        ...{ path: posix.join(folder, name), before: undefined, after },
      })),
    )
    .filter(({ path }) => !present.includes(path))
}

/** Returns what was made for one function, and whether the project's Python ended with it. */
async function generateFor(
  target: FunctionTarget,
  session: TestingSession,
  options: GenerateOptions,
  texts: TestFiles,
): Promise<{ readonly generated: GeneratedTests; readonly stopped: boolean }> {
  let testFile = ''
  try {
    testFile = await testFileOf(target, session, options.testsFolder, texts)
    const known = await testFileText(session, testFile, texts)
    // A function before it may have left a test file that was given up.
    await writeWorkspaceFile(session.worker, testFile, known.after)
    const { text, names, mutants } = await testsOf(target, testFile, known, session, options)
    if (names.length > 0) texts.set(testFile, { ...known, after: text })
    return { generated: { target, testFile, names, mutants }, stopped: false }
  } catch (error) {
    if (!(error instanceof AutotestError) || error.code === 'interrupted') throw error
    const generated = { target, testFile, names: [], mutants: [], problem: messageOf(error) }
    return { generated, stopped: error.code === 'python_stopped' }
  }
}

/** Test files by path, as they were before anything ran, and as they are now. */
type TestFiles = Map<string, TestFileState>

interface TestFileState {
  readonly before: string | undefined
  readonly after: string
}

async function testFileOf(
  { path }: FunctionTarget,
  session: TestingSession,
  folder: string | undefined,
  known: TestFiles,
): Promise<string> {
  const module = moduleNameOf(path, session.files)
  const files = [...session.files, ...known.keys()]
  return testPathOf(path, files, folder, async (file) =>
    importsModule((await testFileText(session, file, known)).after, module),
  )
}

async function testFileText(
  { worker }: TestingSession,
  path: string,
  known: TestFiles,
): Promise<TestFileState> {
  const found = known.get(path)
  if (found !== undefined) return found
  const before = await readWorkspaceFile(worker, path)
  const read = { before, after: before ?? '' }
  if (before !== undefined) known.set(path, read)
  return read
}

async function testsOf(
  { path, description }: FunctionTarget,
  testFile: string,
  { before: onDisk, after: existing }: TestFileState,
  session: TestingSession,
  { seconds, seed, mutant, allKillers = false }: GenerateOptions,
): Promise<{ text: string; names: readonly string[]; mutants: readonly MutantOutcome[] }> {
  const { worker } = session
  const { qualname } = description
  const score = (all = false) =>
    worker.call(
      'score_mutants',
      { path, qualname, tests: [testFile], seconds: mutantSeconds, all_killers: all },
      mutantScore,
      5000 * mutantSeconds,
    )
  const before = existing === '' || !mentions(existing, description) ? undefined : await score()
  const covered = (before?.mutants ?? []).flatMap(({ number, outcome }) =>
    (mutant === undefined ? outcome === 'killed' : number !== mutant) ? [number] : [],
  )
  const written = await worker.call(
    'write_tests',
    {
      path,
      qualname,
      existing,
      seconds,
      seed,
      covered,
      test_path: testFile,
      is_own_file: onDisk === undefined,
    },
    writtenTests,
    (seconds * 10 + 90) * 1000,
  )
  const [failing] = written.failing_doctests
  if (failing !== undefined)
    throw new AutotestError(
      'python_failed',
      `its docstring says otherwise, correct one of the two: ${failing}`,
    )
  if (written.names.length === 0) return { text: existing, names: [], mutants: before?.mutants ?? [] }
  const kept = await withoutFailing(written.text, written.names, testFile, session)
  const after = await score(allKillers)
  // An input may tell the two apart by more than what its test asserts.
  if (mutant !== undefined && after.mutants.find(({ number }) => number === mutant)?.outcome !== 'killed')
    return { text: existing, names: [], mutants: before?.mutants ?? [] }
  return { ...kept, mutants: after.mutants }
}

function mentions(text: string, { name, class_name: owner }: FunctionDescription): boolean {
  return text.includes(name === '__init__' ? (owner ?? name) : name)
}

/** Drops the new tests that do not pass three times, each time in another order. */
async function withoutFailing(
  text: string,
  names: readonly string[],
  testFile: string,
  session: TestingSession,
): Promise<{ text: string; names: readonly string[] }> {
  let kept = { text, names }
  for (let revision = 0; revision < revisions; revision++) {
    await writeWorkspaceFile(session.worker, testFile, kept.text)
    const failing = new Set<string>()
    for (const order of [null, 1, 2]) {
      const run = await session.worker.call(
        'run_tests',
        { paths: [testFile], order, seconds: runSeconds },
        testRun,
        2000 * runSeconds,
      )
      for (const name of failedNames(run, kept.names, testFile)) failing.add(name)
    }
    if (failing.size === 0) return kept
    kept = {
      text: [...failing].reduce(withoutTest, kept.text),
      names: kept.names.filter((name) => !failing.has(name)),
    }
    if (kept.names.length === 0) break
  }
  throw new AutotestError(
    'python_failed',
    'its tests do not pass each time: what it does depends on more than its arguments',
  )
}

function failedNames(run: TestRun, names: readonly string[], testFile: string): readonly string[] {
  const [error] = run.errors
  if (error !== undefined)
    throw new AutotestError(
      'python_failed',
      `${testFile} cannot be collected: ${lastLine(error.message).replace(/^E\s+/, '')}`,
    )
  if (run.failure !== undefined)
    throw new AutotestError('python_timeout', `${testFile} did not end: ${run.message ?? run.failure}`)
  const outcomes = new Map(run.tests.map(({ test, outcome }) => [test.split('::').at(-1) ?? test, outcome]))
  return names.filter((name) => outcomes.get(name) !== 'passed')
}
