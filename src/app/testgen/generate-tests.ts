import { posix } from 'node:path'
import { z } from 'zod'
import { AutotestError, messageOf } from '../../errors.js'
import {
  type FunctionDescription,
  type MutantOutcome,
  mutantOutcome,
  mutantScore,
  writtenTests,
} from '../../testgen/python/worker-results.js'
import { importsModule, moduleNameOf, testPathOf } from '../../testgen/test-path.js'
import { readWorkspaceFile, writeWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import type { FunctionTarget } from './function-targets.js'
import { type NewTestFile, withoutFailing } from './passing-tests.js'
import { type DependentTest, independentTests } from './second-workspace.js'
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
  /** Calls whose outcome looks wrong by what the function says of itself; no test holds it. */
  readonly suspects: readonly string[]
  /** What a person should look at, though tests hold it. */
  readonly hints: readonly string[]
  /** Tests that were left out, as they depend on where or when they run. */
  readonly dependent: readonly DependentTest[]
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
}

const mutantSeconds = 60

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
    // What ends the project's Python costs the other functions nothing.
    if (made.stopped && number + 1 < targets.length) await session.restart()
  }
  const changed = [...texts].flatMap(([path, text]) =>
    textOf(text) === text.before ? [] : [{ path, ...text }],
  )
  const files = [...changed, ...filesOfFolder(changed, session.files)]
  return { functions, files }
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
  const none = { names: [], suspects: [], hints: [], dependent: [] }
  try {
    testFile = await testFileOf(target, session, options.testsFolder, texts)
    const known = await testFileText(session, testFile, texts)
    await writeWorkspaceFile(session.worker, testFile, textOf(known))
    const { text, ...made } = await testsOf(target, testFile, known, session, options)
    const isWritten = made.names.length > 0
    if (isWritten) texts.set(testFile, { ...known, after: text })
    // A test file that was given up is none for the functions after it.
    else await writeWorkspaceFile(session.worker, testFile, textOf(known))
    return { generated: { target, testFile, ...made }, stopped: false }
  } catch (error) {
    if (!(error instanceof AutotestError) || error.code === 'interrupted') throw error
    const stopped = error.code === 'python_stopped' || error.code === 'python_forged'
    const mutants = stopped ? [] : await mutantsOf(target, session)
    return { generated: { target, testFile, ...none, mutants, problem: messageOf(error) }, stopped }
  }
}

/** Returns the mutants of a function that has no tests: all of them live. */
async function mutantsOf(
  { path, description }: FunctionTarget,
  { worker }: TestingSession,
): Promise<readonly MutantOutcome[]> {
  try {
    const request = { path, qualname: description.qualname }
    return await worker.call('list_mutants', request, z.array(mutantOutcome), 1000 * mutantSeconds)
  } catch (error) {
    if (error instanceof AutotestError && error.code !== 'interrupted') return []
    throw error
  }
}

function textOf({ before, after }: TestFileState): string | undefined {
  return before === undefined && after === '' ? undefined : after
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
  const written = [...known].flatMap(([file, state]) => (textOf(state) === undefined ? [] : [file]))
  const files = [...session.files, ...written]
  const imports = async (file: string): Promise<boolean> =>
    importsModule((await testFileText(session, file, known)).after, module)
  return testPathOf(path, files, folder, imports, 'any')
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
  known.set(path, read)
  return read
}

type MadeTests = Omit<GeneratedTests, 'target' | 'testFile'> & { readonly text: string }

async function testsOf(
  target: FunctionTarget,
  testFile: string,
  { before: onDisk, after: existing }: TestFileState,
  session: TestingSession,
  { seconds, seed, mutant, allKillers = false }: GenerateOptions,
): Promise<MadeTests> {
  const { worker } = session
  const { path, description } = target
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
  const { suspects, hints } = written
  const nothing = async (problem: string | undefined, dependent: readonly DependentTest[] = []) => ({
    ...{ text: existing, names: [], suspects, hints, dependent, problem },
    mutants: before?.mutants.length ? before.mutants : await mutantsOf(target, session),
  })
  // What has no mutants is tested where tests reach it.
  const isTested = covered.length > 0 || (before?.mutants.length === 0 && before.lines.length > 0)
  if (written.names.length === 0)
    return nothing(isTested ? undefined : (written.problem ?? 'no test of it could be written'))
  let file: NewTestFile
  try {
    file = await withoutFailing(written, testFile, session)
  } catch (error) {
    if (!(error instanceof AutotestError) || !['python_failed', 'python_timeout'].includes(error.code))
      throw error
    return nothing(isTested ? undefined : messageOf(error))
  }
  const { kept, dependent } = await independentTests(
    { ...file, usesHashes: written.uses_hashes },
    testFile,
    session,
  )
  if (kept.names.length === 0)
    return nothing(isTested ? undefined : (dependent[0]?.reason ?? 'its tests were left out'), dependent)
  await writeWorkspaceFile(worker, testFile, kept.text)
  const after = await score(allKillers)
  // An input may tell the two apart by more than what its test asserts.
  if (mutant !== undefined && after.mutants.find(({ number }) => number === mutant)?.outcome !== 'killed')
    return nothing(undefined)
  const [error] = after.errors
  const counted = after.mutants.filter(({ outcome }) => outcome !== 'not_run')
  if (counted.length > 0 && counted.every(({ outcome }) => outcome === 'survived'))
    return nothing(
      `its tests notice none of its ${counted.length} mutants${error === undefined ? '' : `: ${error.message}`}`,
    )
  const mutants = after.mutants.length > 0 ? after.mutants : await mutantsOf(target, session)
  return { ...kept, suspects, hints, dependent, mutants }
}

function mentions(text: string, { name, class_name: owner }: FunctionDescription): boolean {
  return text.includes(name === '__init__' ? (owner ?? name) : name)
}
