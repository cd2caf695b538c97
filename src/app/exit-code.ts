import { AutotestError, type ErrorCode } from '../errors.js'
import type { CaseRecord, Decision, RunDetail } from '../store/record-types.js'

/** Of a task that waits for a person. */
export const waitsForPerson = 6

/**
 * 0 success · 1 failed, unproven, suspect oracle, pending · 2 usage · 3 infrastructure · 4 budget · 5 no case
 * · 130 interrupted.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130

/** Returns the exit code of a thrown value; an unexpected error is a bug, not wrong input. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof AutotestError ? exitCodeOfError(error.code) : 3
}

/** Returns the exit code of an error that ended the program. */
export function exitCodeOfError(code: ErrorCode): ExitCode {
  switch (code) {
    case 'interrupted':
      return 130
    case 'usage':
    case 'config_invalid':
    case 'installation_incomplete':
    case 'benchmark_missing':
    case 'benchmark_invalid':
    case 'kb_missing':
    case 'kb_invalid':
    case 'engine_unknown':
    case 'agent_invalid':
    case 'guideline_invalid':
    case 'role_unknown':
    case 'task_invalid':
    case 'gate_unknown':
    case 'AGENT_001':
    case 'python_missing':
    case 'pytest_missing':
    case 'sandbox_missing':
    case 'python_file':
    case 'python_syntax':
    case 'function_unknown':
    case 'llm_rejected':
    case 'replay_miss':
    case 'path_refused':
    case 'run_unknown':
    case 'case_unknown':
      return 2
    case 'no_case_matched':
      return 5
    case 'budget_exhausted':
      return 4
    case 'edit_conflict':
    case 'journal_conflict':
    case 'tests_complete':
      return 1
    case 'engine_unavailable':
    case 'engine_busy':
    case 'query_timeout':
    case 'judge_unavailable':
    case 'agent_failed':
    case 'not_verified':
    case 'llm_unavailable':
    case 'project_locked':
    case 'write_failed':
    case 'store_unavailable':
    case 'git_failed':
    case 'git_unavailable':
    case 'python_timeout':
    case 'python_failed':
    case 'python_stopped':
    case 'python_forged':
      return 3
  }
}

/**
 * Reports whether the error is a failure of an engine, an agent or a model, as an interrupt causes when it
 * closes them.
 */
export function isInfrastructureFailure(error: unknown): boolean {
  return error instanceof AutotestError && infrastructureErrorCodes.has(error.code)
}

const infrastructureErrorCodes: ReadonlySet<ErrorCode> = new Set([
  'engine_unavailable',
  'engine_busy',
  'agent_failed',
  'judge_unavailable',
  'llm_unavailable',
  'interrupted',
])

export interface RunEnd {
  readonly interrupted: boolean
  readonly budgetExhausted: boolean
  /** Whether agent or engine failed while a repair was verified. */
  readonly unverified: boolean
  /** The reason why the run ended early, if it did. */
  readonly failure: AutotestError | undefined
  /** Paths of knowledge files that cannot be used. */
  readonly unusable: readonly string[]
  /** Benchmark files that are not on disk, whose cases are not known. */
  readonly unlisted: readonly string[]
  readonly decision: Decision
}

/**
 * Returns the exit code of a completed run: 130, that of the error that ended it, or the first of 4, 3, 1
 * that applies; 2 if every case that was evaluated passed, but not all were, or without a knowledge file that cannot be
 * used.
 */
export function exitCodeOfRun(cases: RunDetail['cases'], end: RunEnd): ExitCode {
  if (end.interrupted) return 130
  if (end.failure !== undefined) return exitCodeOfError(end.failure.code)
  if (end.budgetExhausted) return 4
  if (end.unverified || cases.some(isInfrastructure)) return 3
  const isFine = ['passed', 'repaired', 'skipped']
  if (cases.some(({ outcome }) => !isFine.includes(outcome))) return 1
  if (end.decision === 'pending' || end.decision === 'reverted') return 1
  if (cases.some(({ outcome }) => outcome === 'skipped')) return 2
  return end.unusable.length > 0 || end.unlisted.length > 0 ? 2 : 0
}

/**
 * Reports whether a case has an error without a finding about the case itself: the agent or the engine
 * failed.
 */
function isInfrastructure(record: CaseRecord): boolean {
  return record.outcome === 'errored' && (record.label === undefined || record.label === 'engine_busy')
}
