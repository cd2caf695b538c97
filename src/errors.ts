/**
 * Why a run failed. The command line maps each code to an exit code (`cli/exit-code.ts`): usage and
 * configuration 2, infrastructure 3, budget 4, no case matched 5.
 */
export type ErrorCode =
  | 'usage'
  | 'config_invalid'
  | 'installation_incomplete'
  | 'benchmark_missing'
  | 'benchmark_invalid'
  | 'no_case_matched'
  | 'kb_missing'
  | 'kb_invalid'
  | 'engine_unknown'
  | 'engine_unavailable'
  /** The engine was waited for as long as it may be: others kept it busy. */
  | 'engine_busy'
  | 'query_timeout'
  | 'judge_unavailable'
  | 'agent_invalid'
  | 'agent_failed'
  | 'guideline_invalid'
  | 'role_unknown'
  | 'task_invalid'
  | 'gate_unknown'
  | 'not_verified'
  | 'path_refused'
  | 'edit_conflict'
  | 'journal_conflict'
  | 'project_locked'
  | 'write_failed'
  | 'store_unavailable'
  | 'run_unknown'
  | 'case_unknown'
  | 'git_failed'
  | 'git_unavailable'
  | 'budget_exhausted'
  | 'llm_rejected'
  | 'llm_unavailable'
  | 'replay_miss'
  | 'AGENT_001'
  | 'python_missing'
  | 'pytest_missing'
  | 'sandbox_missing'
  | 'python_file'
  | 'python_syntax'
  | 'python_timeout'
  | 'python_failed'
  | 'tests_complete'
  | 'python_stopped'
  /** The process under test answered in place of the harness. */
  | 'python_forged'
  | 'function_unknown'
  | 'interrupted'

export interface ErrorDetails {
  /** What to do about it, in one sentence. */
  readonly hint?: string | undefined
  readonly cause?: unknown
}

/** The only error thrown on purpose: the message states what and where, the hint what to do. */
export class AutotestError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'AutotestError'
    this.code = code
    this.hint = details.hint
  }
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
