import { join } from 'node:path'
import { z } from 'zod'
import { openPythonSession, type PythonSession } from '../../domains/tests/python-sessions.js'
import { AutotestError } from '../../errors.js'
import type { PythonWorker } from '../../testgen/python/worker.js'
import { coverageRun, testRun } from '../../testgen/python/worker-results.js'
import { isTestFile } from '../../testgen/test-path.js'
import { writeWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import { projectConfig } from '../project/project-config.js'
import { openPythonProject } from '../testgen/open-python-project.js'
import { scoreMutants } from '../testgen/score-mutants.js'
import { testSettings } from '../testgen/test-settings.js'
import { openTestingSession, type TestingSession } from '../testgen/testing-session.js'
import {
  type ChangedLine,
  type GeneratedTest,
  type GenerateRequest,
  generateForEditor,
} from './generate-for-editor.js'
import { createFileParser } from './parse-files.js'
import {
  type CoveredFile,
  type ImportAnalysis,
  importAnalysis,
  type ParsedFunction,
  type ProjectContext,
  projectContext,
  type TestResult,
} from './protocol.js'
import { testResults } from './test-results.js'
import type { ModelWriterOptions } from './write-with-model.js'

export interface PythonServiceOptions {
  /** Of the project, absolute. */
  readonly root: string
  /** Interpreter that the client chose; undefined: that of the configuration, else it is searched for. */
  readonly python: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Text of a file that is not saved yet; it stands in place of what is on the disk. */
export interface UnsavedFile {
  /** Relative to the root. */
  readonly path: string
  readonly text: string
}

/** Work in a copy of the project. */
export interface CopyRequest {
  readonly unsaved: readonly UnsavedFile[]
  readonly signal: AbortSignal
}

export interface TestRequest extends CopyRequest {
  /** Of the test file, relative to the root. */
  readonly path: string
  /** Of the file, as `TestCalc::test_add`; empty: all. */
  readonly tests: readonly string[]
  readonly seconds: number
}

export interface SurvivorsRequest extends CopyRequest {
  readonly path: string
  readonly qualname: string
  readonly testPath: string
}

export interface TestCoverage {
  readonly tests: readonly TestResult[]
  readonly files: readonly CoveredFile[]
}

/** What an editor asks of a Python project. */
export interface PythonService {
  parse(path: string, text: string | undefined): Promise<readonly ParsedFunction[]>
  validate(code: string): Promise<{ readonly valid: boolean; readonly error?: string }>
  context(signal: AbortSignal): Promise<ProjectContext>
  imports(path: string, name: string, signal: AbortSignal): Promise<ImportAnalysis>
  generate(
    request: Omit<GenerateRequest, 'testsFolder' | 'writer'> &
      CopyRequest & { readonly writer: 'rules' | 'model' },
    onProgress: (text: string) => void,
  ): Promise<GeneratedTest>
  runTests(request: TestRequest): Promise<readonly TestResult[]>
  coverage(request: TestRequest): Promise<TestCoverage>
  survivors(request: SurvivorsRequest): Promise<readonly ChangedLine[]>
  /** Does work in a copy of the project, whose Python is in its sandbox. */
  inCopy<Result>(request: CopyRequest, work: (session: TestingSession) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

const timeoutMs = 60_000
const checked = z.object({ valid: z.boolean(), line: z.int().nullish(), message: z.string().nullish() })

export function createPythonService({ root, python: chosen, env }: PythonServiceOptions): PythonService {
  const ending = new AbortController()
  const request = async () => {
    const python = chosen ?? (await testSettings(root)).python
    return { root, python, unsandboxed: false, env }
  }
  let helper: Promise<PythonSession> | undefined
  /** A warm Python without any file, which only reads texts. It is started anew where it has ended. */
  async function warm(): Promise<PythonWorker> {
    helper ??= request()
      .then(openPythonProject)
      .then((project) => openPythonSession({ ...project, files: [] }, undefined, ending.signal))
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
    { unsaved, signal }: CopyRequest,
    work: (session: TestingSession) => Promise<Result>,
  ): Promise<Result> {
    const session = await openTestingSession({
      ...(await request()),
      signal: AbortSignal.any([signal, ending.signal]),
    })
    try {
      for (const { path, text } of unsaved) await writeWorkspaceFile(session.worker, path, text)
      // A new file is one of the project's, too.
      const files = [...new Set([...session.files, ...unsaved.map(({ path }) => path)])].sort()
      return await work({
        ...session,
        files,
        async elsewhere() {
          const worker = await session.elsewhere()
          for (const { path, text } of unsaved) await writeWorkspaceFile(worker, path, text)
          return worker
        },
      })
    } finally {
      await session.close()
    }
  }
  const parser = createFileParser(ask)
  return {
    inCopy,
    parse: (path, text) => parser.parse(join(root, path), text),
    async validate(code) {
      const { valid, line, message } = await ask((worker) =>
        worker.call('check', { text: code }, checked, timeoutMs),
      )
      return valid ? { valid } : { valid, error: `line ${line ?? 1}: ${message ?? 'it is no Python'}` }
    },
    context: (signal) =>
      inCopy({ unsaved: [], signal }, ({ worker, files }) =>
        worker.call('gather_context', { files }, projectContext, timeoutMs),
      ),
    imports: (path, name, signal) =>
      inCopy({ unsaved: [], signal }, ({ worker }) =>
        worker.call('analyze_imports', { path, function_name: name }, importAnalysis, timeoutMs),
      ),
    generate: (wanted, onProgress) =>
      inCopy(wanted, async (session) => {
        const { folder } = await testSettings(root)
        const { writer, unsaved, signal } = wanted
        const model =
          writer === 'rules'
            ? undefined
            : await openWriter({ testsFolder: folder, env, unsaved, signal, onProgress }, root)
        return generateForEditor(session, { ...wanted, testsFolder: folder, writer: model }, onProgress)
      }),
    runTests: (wanted) =>
      inCopy(wanted, async ({ worker }) => {
        const { seconds } = wanted
        const params = { paths: nodeIds(wanted), seconds }
        return testResults(await worker.call('run_tests', params, testRun, deadlineOf(seconds)))
      }),
    coverage: (wanted) =>
      inCopy(wanted, async ({ worker, files }) => {
        const sources = files.filter((path) => path.endsWith('.py') && !isTestFile(path))
        const { seconds } = wanted
        const params = { paths: nodeIds(wanted), sources, seconds }
        const run = await worker.call('run_with_coverage', params, coverageRun, deadlineOf(seconds))
        return {
          tests: testResults(run),
          files: run.files.map(({ path: filePath, ...file }) => ({ filePath, ...file })),
        }
      }),
    survivors: (wanted) =>
      inCopy(wanted, async (session) => {
        const { score } = await scoreMutants(session, wanted.path, wanted.qualname, [wanted.testPath])
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

async function openWriter(
  { unsaved, ...options }: Omit<ModelWriterOptions, 'config' | 'unsaved'> & Pick<CopyRequest, 'unsaved'>,
  root: string,
) {
  const { openModelWriter } = await import('./write-with-model.js')
  const texts = new Map(unsaved.map(({ path, text }) => [path, text]))
  return openModelWriter({ ...options, unsaved: texts, config: await projectConfig(root, undefined) })
}

/** Milliseconds after which a run that is to end by itself is no longer waited for. */
function deadlineOf(seconds: number): number {
  return (seconds + 30) * 1000
}

function nodeIds({ path, tests }: TestRequest): readonly string[] {
  return tests.length === 0 ? [path] : tests.map((test) => `${path}::${test}`)
}
