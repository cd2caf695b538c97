import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import {
  type MutantScore,
  mutantScore,
  type TestRun,
  type TestStructure,
  testRun,
  testStructure,
} from '../../testgen/python/worker-results.js'
import type { PythonSession } from './python-sessions.js'

const runSeconds = 30
const mutantSeconds = 120
const shortTimeoutMs = 30_000

/** The file of the function, its name and the file of its tests, relative to the project. */
export interface TestedFunction {
  readonly path: string
  readonly qualname: string
  readonly testPath: string
}

/** What can be asked of the project's Python about the tests of one function. */
export interface TestFile {
  structure(text: string, before: string): Promise<TestStructure>
  /** Runs the tests in the warm process, in their own order. */
  run(): Promise<TestRun>
  /** Runs them in a process of its own, with another order and other hashes. */
  runAnew(seed: number): Promise<TestRun>
  mutants(): Promise<MutantScore>
  /** Runs the tests with another text in the place of the function's file. */
  runWith(source: string): Promise<TestRun>
  /** Returns the function's file with the function written in another way. */
  rewritten(): Promise<string | undefined>
  /** Returns why the function's module cannot be imported; undefined if it can. */
  importProblem(): Promise<string | undefined>
  /** Returns the first of these tests that asserts what docstring or specification say, and what they say. */
  agreement(text: string, tests: readonly string[], spec: string): Promise<string | undefined>
}

/**
 * Does work with a test file in a session whose workspace only this program writes, and takes the file away again.
 * Throws what the worker throws.
 *
 * @param before text of the test file in the project; undefined if there is none
 */
export async function withTestFile<Result>(
  { folder, worker }: PythonSession,
  tested: TestedFunction,
  text: string,
  before: string | undefined,
  work: (file: TestFile) => Promise<Result>,
): Promise<Result> {
  const { path, qualname, testPath } = tested
  const file = join(folder, testPath)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  const run = (hashSeed: number | null): Promise<TestRun> =>
    worker.call(
      'run_tests',
      { paths: [testPath], seconds: runSeconds, order: hashSeed, hash_seed: hashSeed },
      testRun,
      (runSeconds + 20) * 1000,
    )
  try {
    return await work({
      structure: (now, then) =>
        worker.call(
          'check_tests',
          { text: now, before: then, path, qualname },
          testStructure,
          shortTimeoutMs,
        ),
      run: () => run(null),
      runAnew: (seed) => run(seed),
      mutants: () =>
        worker.call(
          'score_mutants',
          { path, qualname, tests: [testPath], seconds: mutantSeconds },
          mutantScore,
          5000 * mutantSeconds,
        ),
      async runWith(source) {
        // As bytes: a source may be in another encoding.
        const bytes = await readFile(join(folder, path))
        await writeFile(join(folder, path), source)
        try {
          return await run(null)
        } finally {
          await writeFile(join(folder, path), bytes)
        }
      },
      rewritten: async () =>
        (await worker.call('rewrite', { path, qualname }, nullableText, shortTimeoutMs)).text ?? undefined,
      importProblem: async () =>
        (await worker.call('import_module', { path }, importResult, shortTimeoutMs)).problem ?? undefined,
      agreement: async (now, tests, spec) =>
        (
          await worker.call(
            'agreements',
            { text: now, tests, path, qualname, spec },
            agreement,
            shortTimeoutMs,
          )
        ).said ?? undefined,
    })
  } finally {
    if (before === undefined) await rm(file, { force: true })
    else await writeFile(file, before)
  }
}

const nullableText = z.object({ text: z.string().nullable() })
/** Why a module cannot be imported, if it cannot. */
export const importResult = z.object({ problem: z.string().nullable() })
const agreement = z.object({ said: z.string().nullable() })
