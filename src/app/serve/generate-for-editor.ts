import { AutotestError } from '../../errors.js'
import { functionNamed } from '../../testgen/function-named.js'
import type { PythonWorker } from '../../testgen/python/worker.js'
import { type MutantOutcome, testRun } from '../../testgen/python/worker-results.js'
import { writeWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import type { FunctionTarget } from '../testgen/function-targets.js'
import {
  type Generated,
  type GeneratedTests,
  generateTests,
  type TestFileChange,
} from '../testgen/generate-tests.js'
import type { TestingSession } from '../testgen/testing-session.js'
import { rewriteAsUnittest, testsIn } from './generated-code.js'
import { type ImportAnalysis, importAnalysis, type ProjectContext, projectContext } from './protocol.js'

export interface GenerateRequest {
  /** Relative to the root. */
  readonly path: string
  readonly qualname: string
  readonly framework: 'pytest' | 'unittest' | undefined
  readonly seconds: number
  readonly seed: number
  /** The only mutant that new tests are to notice; undefined: all that none notices. */
  readonly mutant: number | undefined
  readonly testsFolder: string | undefined
  /** Writes tests of a function into the copy, once for each call; absent: they are searched for without a model. */
  readonly writer?:
    | ((session: TestingSession, target: FunctionTarget, attempt: number) => Promise<Generated>)
    | undefined
}

/** A change of the function, on one line before and after. */
export interface ChangedLine {
  readonly number: number
  readonly line: number
  readonly before: string
  readonly after: string
}

/** Tests as an editor shows them, before they are written. */
export interface GeneratedTest {
  readonly code: string
  readonly test_file: string
  readonly test_names: readonly string[]
  readonly framework: 'pytest' | 'unittest'
  /** New tests, and the changes of the function that each notices. */
  readonly tests: readonly {
    readonly name: string
    readonly code: string
    readonly kills: readonly ChangedLine[]
  }[]
  /** Files to write, all of them. */
  readonly files: readonly TestFileChange[]
  readonly validation: {
    readonly valid: boolean
    readonly passed: number
    readonly failed: number
    readonly attempts: number
  }
  readonly mutants: {
    readonly killed: number
    readonly total: number
    readonly survivors: readonly ChangedLine[]
  }
  /** Calls whose outcome looks wrong by what the function says of itself; no test holds it. */
  readonly suspects: readonly string[]
  /** What a person should look at, though tests hold it. */
  readonly hints: readonly string[]
  readonly context: { readonly imports: ImportAnalysis; readonly conftest: ProjectContext['conftest'] }
}

const timeoutMs = 60_000
const runSeconds = 60
/** How often generation is tried again where what came of it does not hold. */
const mostRetries = 2

/** Analyze, gather context, analyze imports, generate, validate, and again at most twice. */
export async function generateForEditor(
  session: TestingSession,
  { path, qualname, framework: asked, seconds, seed, mutant, testsFolder, writer }: GenerateRequest,
  onProgress: (text: string) => void,
): Promise<GeneratedTest> {
  const { worker, files } = session
  onProgress('reading the function')
  const description = functionNamed(path, qualname, await session.describe(path))
  onProgress('reading the project')
  const context = await worker.call('gather_context', { files }, projectContext, timeoutMs)
  const imports = await worker.call(
    'analyze_imports',
    { path, function_name: qualname },
    importAnalysis,
    timeoutMs,
  )
  const framework = asked ?? context.test_framework
  for (let attempt = 1; ; attempt++) {
    onProgress(`writing tests${attempt > 1 ? `, attempt ${attempt}` : ''}`)
    const target = { path, description }
    const made =
      writer === undefined
        ? await generateTests(session, [target], {
            ...{ testsFolder, mutant, onProgress, allKillers: true },
            seconds: seconds * attempt,
            seed: seed + attempt - 1,
          })
        : await writer(session, target, seed + attempt - 1)
    const [first] = made.functions
    if (first === undefined || first.problem !== undefined) {
      if (attempt > mostRetries)
        throw new AutotestError('python_failed', first?.suspects[0] ?? first?.problem ?? 'there are no tests')
      continue
    }
    const file = made.files.find((each) => each.path === first.testFile)
    // Another search may find what this one did not.
    if (file === undefined && mutant !== undefined && attempt <= mostRetries) continue
    if (file === undefined) throw nothingNew(first, mutant)
    const code =
      framework === 'unittest'
        ? await rewriteAsUnittest(worker, file.after, first.names, qualname)
        : file.after
    if (code.trim() === '')
      throw new AutotestError('python_failed', `its tests need what ${framework} does not have`)
    onProgress('running the tests')
    const validation = { ...(await validate(worker, first.testFile, code)), attempts: attempt }
    if (!validation.valid && attempt <= mostRetries) {
      await writeWorkspaceFile(worker, first.testFile, file.before ?? '')
      continue
    }
    return {
      code,
      test_file: first.testFile,
      test_names: first.names,
      framework,
      tests: await testsWithKills(worker, code, first),
      files: made.files.map((each) => ({
        path: each.path,
        // An attempt before this one may have left a file that the project does not have.
        before: files.includes(each.path) ? each.before : undefined,
        after: each === file ? code : each.after,
      })),
      validation,
      mutants: {
        killed: first.mutants.filter(({ outcome }) => outcome === 'killed').length,
        total: first.mutants.length,
        survivors: first.mutants.filter(({ outcome }) => outcome === 'survived').map(changedLine),
      },
      suspects: first.suspects,
      hints: first.hints,
      context: { imports, conftest: context.conftest },
    }
  }
}

function nothingNew({ testFile, mutants }: GeneratedTests, mutant: number | undefined): AutotestError {
  if (mutant !== undefined)
    return new AutotestError(
      'tests_complete',
      'no input was found that tells this change from the function',
      {
        hint: 'The two may do the same. A longer search may find one: set more seconds.',
      },
    )
  const survivors = mutants.filter(({ outcome }) => outcome === 'survived').length
  return new AutotestError(
    'tests_complete',
    survivors === 0
      ? `the tests in ${testFile} notice every change of the function that was tried`
      : `no new test was found beside those in ${testFile}: ${survivors} of ${mutants.length} changes are not noticed`,
  )
}

async function validate(
  worker: PythonWorker,
  testFile: string,
  code: string,
): Promise<Omit<GeneratedTest['validation'], 'attempts'>> {
  await writeWorkspaceFile(worker, testFile, code)
  const request = { paths: [testFile], seconds: runSeconds }
  const run = await worker.call('run_tests', request, testRun, 2000 * runSeconds)
  const passed = run.tests.filter(({ outcome }) => outcome === 'passed').length
  const failed = run.tests.length - passed + run.errors.length
  return { valid: failed === 0 && run.failure === undefined, passed, failed }
}

async function testsWithKills(
  worker: PythonWorker,
  code: string,
  { names, mutants }: GeneratedTests,
): Promise<GeneratedTest['tests']> {
  const texts = await testsIn(worker, code)
  const nameOf = (test: string | null): string | undefined => test?.split('::').at(-1)?.replace(/\[.*$/s, '')
  return names.map((name) => ({
    name,
    code: texts.get(name) ?? '',
    kills: mutants
      .filter(
        ({ outcome, by, killers }) =>
          outcome === 'killed' && (killers ?? [by]).some((test) => nameOf(test) === name),
      )
      .map(changedLine),
  }))
}

function changedLine({ number, line, before, after }: MutantOutcome): ChangedLine {
  return { number, line, before, after }
}
