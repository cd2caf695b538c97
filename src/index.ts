/** The public API: the features of `autotest`, without a terminal. */

import { performRun } from './app/run/perform-run.js'
import type { RunListener } from './app/run/run-events.js'
import type { RunRequest } from './app/run/run-request.js'
import { createWaitLog } from './app/run/wait-log.js'
import type { Benchmark } from './benchmark/case.js'
import { loadBenchmark as loadBenchmarkFiles } from './benchmark/load.js'
import { reportOf } from './report/json.js'
import type { RunDetail } from './store/record-types.js'

export type { Benchmark, SqlCase } from './benchmark/case.js'
export { AutotestError, type ErrorCode } from './errors.js'
export type { CaseRecord, RunDetail } from './store/record-types.js'

export interface LoadBenchmarkOptions {
  /** Files, folders and globs. */
  readonly paths: readonly string[]
  /** Only cases with any of these tags. */
  readonly tags?: readonly string[]
  /** Only these cases; each must exist. */
  readonly ids?: readonly string[]
  /** The folder that paths are relative to; default: the working folder. */
  readonly cwd?: string
}

/**
 * Reads and checks benchmark files. Throws `AutotestError` naming every problem with file, line and column.
 */
export function loadBenchmark(options: LoadBenchmarkOptions): Promise<Benchmark> {
  const { paths, tags, ids, cwd = process.cwd() } = options
  return loadBenchmarkFiles({ paths, tags, ids, cwd })
}

export interface RunOptions {
  /** A folder of the project; default: the working folder. */
  readonly cwd?: string
  readonly benchmark?: readonly string[]
  readonly tags?: readonly string[]
  readonly ids?: readonly string[]
  /**
   * `repair` writes accepted repairs into the working tree, `dry-run` verifies them and writes nothing.
   * Default: `evaluate`.
   */
  readonly mode?: 'evaluate' | 'dry-run' | 'repair'
  /** Whether repairs are committed; default: they stay in the working tree. */
  readonly commit?: boolean
  /**
   * Whether files with the user's uncommitted changes are repaired, too; they are not committed. Default:
   * they are not.
   */
  readonly allowDirty?: boolean
  readonly maxRetries?: number
  readonly minGrade?: 'E1' | 'E2'
  /** Configuration file, if it cannot be found upwards from `cwd`. */
  readonly config?: string
  /**
   * Engine, agent, knowledge base and run database instead of the configured ones, like the flags of these
   * names.
   */
  readonly engine?: string
  readonly agent?: string
  readonly kb?: string
  readonly db?: string
  readonly signal?: AbortSignal
  /** Called with notes and warnings, one line each. */
  readonly onNote?: (text: string) => void
}

export interface RunResult {
  /** The exit code of the command line. */
  readonly exitCode: number
  /** The report of `--output report.json`, as data. */
  readonly report: ReturnType<typeof reportOf>
  /** Every row of the run. */
  readonly detail: RunDetail
}

/**
 * Performs one run. A failing case is data in the result; throws `AutotestError` if the run is not possible.
 */
export async function run(options: RunOptions = {}): Promise<RunResult> {
  const { detail, exitCode } = await performRun(requestOf(options), {
    listener: noteListener(options.onNote ?? (() => undefined)),
    env: process.env,
    signal: options.signal ?? new AbortController().signal,
    now: () => new Date(),
  })
  return { exitCode, report: reportOf(detail), detail }
}

function requestOf(options: RunOptions): RunRequest {
  const { mode = 'evaluate' } = options
  return {
    cwd: options.cwd ?? process.cwd(),
    benchmark: options.benchmark,
    tags: options.tags,
    ids: options.ids,
    mode: mode === 'dry-run' ? 'dry_run' : mode,
    commit: options.commit === true ? 'always' : 'never',
    allowDirty: options.allowDirty,
    maxRetries: options.maxRetries,
    minGrade: options.minGrade,
    config: options.config,
    engine: options.engine,
    agent: options.agent,
    kb: options.kb,
    db: options.db,
  }
}

/** Returns a listener that passes on only the notes and warnings of a run. */
function noteListener(onNote: (text: string) => void): RunListener {
  const logWait = createWaitLog((text) => onNote(`note  ${text}`))
  return (event) => {
    if (event.kind === 'note' || event.kind === 'warning') onNote(`${event.kind}  ${event.text}`)
    else if (event.kind === 'waiting') logWait(event.text)
    else if (event.kind === 'run_finished' && event.hint !== undefined) onNote(event.hint)
  }
}
