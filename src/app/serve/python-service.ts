import { join } from 'node:path'
import { z } from 'zod'
import { openPythonSession, type PythonSession } from '../../domains/tests/python-sessions.js'
import { AutotestError } from '../../errors.js'
import { functionNamed } from '../../testgen/function-named.js'
import type { PythonWorker } from '../../testgen/python/worker.js'
import { type TestRun, testRun } from '../../testgen/python/worker-results.js'
import { generateTests } from '../testgen/generate-tests.js'
import { openPythonProject } from '../testgen/open-python-project.js'
import { scoreMutants } from '../testgen/score-mutants.js'
import { openTestingSession, type TestingSession } from '../testgen/testing-session.js'
import { createFileParser } from './parse-files.js'
import {
  type ImportAnalysis,
  importAnalysis,
  type ParsedFunction,
  type ProjectContext,
  projectContext,
  type TestResult,
} from './protocol.js'

export interface PythonServiceOptions {
  /** Of the project, absolute. */
  readonly root: string
  readonly python: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface GenerateRequest {
  /** Relative to the root. */
  readonly path: string
  readonly qualname: string
  readonly framework: 'pytest' | 'unittest' | undefined
  readonly seconds: number
  readonly text: string | undefined
}

/** Tests as an editor shows them, before they are written. */
export interface GeneratedTest {
  readonly code: string
  readonly test_file: string
  readonly test_names: readonly string[]
  readonly framework: 'pytest' | 'unittest'
  readonly validation: {
    readonly valid: boolean
    readonly passed: number
    readonly failed: number
    readonly attempts: number
  }
  readonly mutants: {
    readonly killed: number
    readonly total: number
    readonly survivors: readonly { line: number; before: string; after: string }[]
  }
  readonly context: { readonly imports: ImportAnalysis; readonly conftest: ProjectContext['conftest'] }
}

/** What an editor asks of a Python project. */
export interface PythonService {
  parse(path: string, text: string | undefined): Promise<readonly ParsedFunction[]>
  validate(code: string): Promise<{ readonly valid: boolean; readonly error?: string }>
  context(signal: AbortSignal): Promise<ProjectContext>
  imports(path: string, name: string, signal: AbortSignal): Promise<ImportAnalysis>
  generate(
    request: GenerateRequest,
    signal: AbortSignal,
    onProgress: (text: string) => void,
  ): Promise<GeneratedTest>
  runTests(path: string, text: string | undefined, signal: AbortSignal): Promise<readonly TestResult[]>
  survivors(
    path: string,
    qualname: string,
    testPath: string,
    signal: AbortSignal,
  ): Promise<readonly { line: number; before: string; after: string; number: number }[]>
  close(): Promise<void>
}

const timeoutMs = 60_000
const runSeconds = 60
/** How often generation is tried again where what came of it does not hold. */
const mostRetries = 2
const checked = z.object({ valid: z.boolean(), line: z.int().nullish(), message: z.string().nullish() })

export function createPythonService({ root, python, env }: PythonServiceOptions): PythonService {
  const request = { root, python, unsandboxed: false, env }
  const ending = new AbortController()
  let helper: Promise<PythonSession> | undefined
  /** A warm Python without any file, which only reads texts. It is started anew where it has ended. */
  async function warm(): Promise<PythonWorker> {
    helper ??= openPythonProject(request).then((project) =>
      openPythonSession({ ...project, files: [] }, undefined, ending.signal),
    )
    try {
      return (await helper).worker
    } catch (error) {
      helper = undefined
      throw error
    }
  }
  async function ask<Result>(work: (worker: PythonWorker) => Promise<Result>): Promise<Result> {
    try {
      return await work(await warm())
    } catch (error) {
      if (!(error instanceof AutotestError) || error.code !== 'python_stopped') throw error
      const ended = helper
      helper = undefined
      await ended?.then((session) => session.close()).catch(() => undefined)
      return work(await warm())
    }
  }
  async function inCopy<Result>(
    signal: AbortSignal,
    work: (session: TestingSession) => Promise<Result>,
  ): Promise<Result> {
    const session = await openTestingSession({ ...request, signal: AbortSignal.any([signal, ending.signal]) })
    try {
      return await work(session)
    } finally {
      await session.close()
    }
  }
  const parser = createFileParser(ask)
  return {
    parse: (path, text) => parser.parse(join(root, path), text),
    async validate(code) {
      const { valid, line, message } = await ask((worker) =>
        worker.call('check', { text: code }, checked, timeoutMs),
      )
      return valid ? { valid } : { valid, error: `line ${line ?? 1}: ${message ?? 'it is no Python'}` }
    },
    context: (signal) =>
      inCopy(signal, ({ worker, files }) =>
        worker.call('gather_context', { files }, projectContext, timeoutMs),
      ),
    imports: (path, name, signal) =>
      inCopy(signal, ({ worker }) =>
        worker.call('analyze_imports', { path, function_name: name }, importAnalysis, timeoutMs),
      ),
    generate: (wanted, signal, onProgress) =>
      inCopy(signal, (session) => generate(session, wanted, onProgress)),
    runTests: (path, text, signal) =>
      inCopy(signal, async ({ worker }) => {
        if (text !== undefined) await worker.call('write_text', { path, text }, z.null(), timeoutMs)
        const run = await worker.call(
          'run_tests',
          { paths: [path], seconds: runSeconds },
          testRun,
          2000 * runSeconds,
        )
        return testResults(run)
      }),
    survivors: (path, qualname, testPath, signal) =>
      inCopy(signal, async (session) => {
        const { score } = await scoreMutants(session, path, qualname, [testPath])
        return score.mutants
          .filter(({ outcome }) => outcome === 'survived')
          .map(({ line, before, after, number }) => ({ line, before, after, number }))
      }),
    async close() {
      ending.abort()
      await helper?.then((session) => session.close()).catch(() => undefined)
    },
  }
}

/** Analyze, gather context, analyze imports, generate, validate, and again at most twice. */
async function generate(
  session: TestingSession,
  { path, qualname, framework: asked, seconds, text }: GenerateRequest,
  onProgress: (text: string) => void,
): Promise<GeneratedTest> {
  const { worker, files } = session
  if (text !== undefined) await worker.call('write_text', { path, text }, z.null(), timeoutMs)
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
    onProgress(`searching inputs${attempt > 1 ? `, attempt ${attempt}` : ''}`)
    const made = await generateTests(session, [{ path, description }], {
      testsFolder: undefined,
      seconds: seconds * attempt,
      seed: attempt,
      onProgress,
    })
    const [first] = made.functions
    const [file] = made.files
    const testFile = first?.testFile ?? ''
    const problem = first?.problem ?? (file === undefined ? 'its tests are there already' : undefined)
    if (problem !== undefined && attempt > mostRetries) throw new AutotestError('python_failed', problem)
    if (problem !== undefined || file === undefined || first === undefined) {
      if (first?.problem === undefined)
        throw new AutotestError('python_failed', problem ?? 'there are no tests')
      continue
    }
    const code =
      framework === 'unittest' ? await asUnittest(worker, file.after, first.names, qualname) : file.after
    onProgress('running the tests')
    await worker.call('write_text', { path: testFile, text: code }, z.null(), timeoutMs)
    const run = await worker.call(
      'run_tests',
      { paths: [testFile], seconds: runSeconds },
      testRun,
      2000 * runSeconds,
    )
    const passed = run.tests.filter(({ outcome }) => outcome === 'passed').length
    const failed = run.tests.length - passed + run.errors.length
    if (code.trim() === '' || (failed > 0 && attempt <= mostRetries)) {
      if (code.trim() === '')
        throw new AutotestError('python_failed', `its tests need what ${framework} does not have`)
      await worker.call('write_text', { path: testFile, text: file.before ?? '' }, z.null(), timeoutMs)
      continue
    }
    const { mutants } = first
    return {
      code,
      test_file: testFile,
      test_names: first.names,
      framework,
      validation: { valid: failed === 0, passed, failed, attempts: attempt },
      mutants: {
        killed: mutants.filter(({ outcome }) => outcome === 'killed').length,
        total: mutants.length,
        survivors: mutants
          .filter(({ outcome }) => outcome === 'survived')
          .map(({ line, before, after }) => ({ line, before, after })),
      },
      context: { imports, conftest: context.conftest },
    }
  }
}

async function asUnittest(
  worker: PythonWorker,
  text: string,
  names: readonly string[],
  qualname: string,
): Promise<string> {
  const words = qualname.split(/[._]/).filter((word) => word !== '')
  const name = `Test${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
  return (
    await worker.call(
      'as_unittest',
      { text, names, class_name: name },
      z.object({ text: z.string() }),
      timeoutMs,
    )
  ).text
}

function testResults({ tests, errors, failure, message }: TestRun): readonly TestResult[] {
  const uncollected = [
    ...errors.map(({ test, message: said }) => ({ nodeid: test, longrepr: said })),
    ...(failure === undefined ? [] : [{ nodeid: 'all tests', longrepr: `${failure}: ${message ?? ''}` }]),
  ]
  return [
    ...tests.map(({ test, outcome, message: said, line, ms }) => ({
      nodeid: test,
      outcome,
      duration: ms / 1000,
      ...(said === null ? {} : { call: { longrepr: said, line } }),
    })),
    ...uncollected.map(({ nodeid, longrepr }) => ({
      nodeid,
      outcome: 'error' as const,
      duration: 0,
      call: { longrepr, line: null },
    })),
  ]
}
