import { posix } from 'node:path'
import { z } from 'zod'
import { isModule } from '../roles/import-candidates.js'
import { startedFile } from '../roles/started-files.js'
import { HostError, type HostFunction } from '../subagent/script/run-tool-script.js'
import type { PythonWorker } from './python/worker.js'
import { functionDescription, type TestRun, testRun } from './python/worker-results.js'
import { isIn, isTestFile } from './test-path.js'
import { readWorkspaceFile, writeWorkspaceFile } from './workspace/workspace-files.js'

/** The function that tests are written for. */
export interface TestTarget {
  /** Relative to the workspace. */
  readonly path: string
  readonly qualname: string
  readonly testPath: string
}

export interface HostFunctionOptions {
  readonly worker: PythonWorker
  readonly target: TestTarget
  /** Folders that the role may write to, relative to the workspace; `.` for all of it. */
  readonly writable: readonly string[]
}

/** What the tool scripts may call, and what the harness saw of it. */
export interface TestingHost {
  readonly functions: Readonly<Record<string, HostFunction>>
  lastRun(): TestRun | undefined
  /** The file whose tests ran last. */
  lastRunPath(): string | undefined
  /** Runs tests without a trace of it in `last_run`, as tool scripts read a run. */
  runUnseen(path: string): Promise<ShownRun>
  writtenFiles(): readonly string[]
  /** Whether the role may write to a path of the workspace. */
  mayWrite(path: string): boolean
}

/** Reports whether a path leads out of the workspace. */
export function isOutside(path: string): boolean {
  const plain = posix.normalize(path)
  return plain.startsWith('../') || plain === '..' || posix.isAbsolute(plain) || path.includes('\0')
}

const workerTimeoutMs = 90_000
const runSeconds = 30

const checked = z.union([
  z.object({ valid: z.literal(true) }),
  z.object({ valid: z.literal(false), line: z.int().nullable(), message: z.string() }),
])

/**
 * Creates the host functions of one piece of work: small and honest, so that what a tool script makes of them can be
 * compared with the truth.
 */
export function createTestingHost({ worker, target, writable }: HostFunctionOptions): TestingHost {
  let last: TestRun | undefined
  let lastPath: string | undefined
  const written = new Set<string>()
  const text = (args: Readonly<Record<string, unknown>>, name: string): string => {
    const value = args[name]
    if (typeof value !== 'string') throw new HostError('ValueError', `${name} must be text`)
    return value
  }
  // What pytest loads by its name, or what a test imports, decides about other tests as well.
  const isHarmless = (path: string): boolean =>
    isTestFile(path) || (!isModule(path) && startedFile(path, undefined) === undefined)
  const isWritable = (path: string): boolean =>
    isHarmless(path) &&
    // In a folder with the sources, tests are all that may be written.
    writable.some((folder) => isIn(path, folder) && (isTestFile(path) || !isIn(target.path, folder)))
  const run = (path: string): Promise<TestRun> =>
    worker.call('run_tests', { paths: [path], seconds: runSeconds }, testRun, workerTimeoutMs)
  const inWorkspace = (path: string): string => {
    const plain = posix.normalize(path)
    if (isOutside(path)) throw new HostError('PermissionError', `${path} is outside of the workspace`)
    return plain
  }
  return {
    functions: {
      target: () => ({ path: target.path, qualname: target.qualname, test_path: target.testPath }),
      python_functions: (args) =>
        worker.call(
          'describe',
          { path: inWorkspace(text(args, 'path')) },
          z.array(functionDescription),
          workerTimeoutMs,
        ),
      check_python: (args) => worker.call('check', { text: text(args, 'text') }, checked, workerTimeoutMs),
      read_file: async (args) => (await readWorkspaceFile(worker, inWorkspace(text(args, 'path')))) ?? null,
      async write_file(args) {
        if (isOutside(text(args, 'path')))
          return { written: false, reason: `${String(args['path'])} is outside of the workspace` }
        const path = inWorkspace(text(args, 'path'))
        if (!isWritable(path))
          return {
            written: false,
            reason:
              writable.some((folder) => isIn(path, folder)) && !isHarmless(path)
                ? `the role may write only tests and their data: ${path} would run with other tests`
                : `the role may write only to ${writable.join(', ')}, not to ${path}`,
          }
        await writeWorkspaceFile(worker, path, text(args, 'text'))
        written.add(path)
        return { written: true, reason: null }
      },
      async run_pytest(args) {
        lastPath = inWorkspace(text(args, 'path'))
        last = await run(lastPath)
        return shown(last)
      },
      last_run: () => (last === undefined ? null : shown(last)),
      written_files: () => [...written].sort(),
    },
    lastRun: () => last,
    lastRunPath: () => lastPath,
    runUnseen: async (path) => shown(await run(path)),
    writtenFiles: () => [...written].sort(),
    mayWrite: (path) => !posix.isAbsolute(path) && isWritable(posix.normalize(path)),
  }
}

/** A run as tool scripts read it. */
export interface ShownRun {
  readonly tests: readonly {
    readonly name: string
    readonly outcome: string
    readonly message: string | null
    readonly line: number | null
  }[]
  /** Files that could not be collected. */
  readonly errors: readonly { readonly test: string; readonly message: string }[]
  /** Why there is no outcome. */
  readonly failure: string | null
}

export function shown({ tests, errors, failure, message }: TestRun): ShownRun {
  return {
    tests: tests.map(({ test, outcome, message: said, line }) => ({
      name: test.split('::').slice(1).join('::'),
      outcome,
      message: said,
      line,
    })),
    errors: errors.map(({ test, message: said }) => ({ test, message: said })),
    failure: failure === undefined ? null : `${failure}: ${message ?? ''}`,
  }
}
