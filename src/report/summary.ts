import type { CaseOutcome, CaseRecord, RunDetail } from '../store/record-types.js'

/** The counts of a run; the seven outcomes sum to `total`. */
export interface Summary {
  readonly total: number
  /** Passed without any repair. */
  readonly passed: number
  /** Of the passed and repaired: only a judge says that their queries mean the same. */
  readonly judged: number
  readonly repaired: number
  readonly failed: number
  readonly unproven: number
  readonly errored: number
  /** Left out, or not asked because the run ended before. */
  readonly skipped: number
  /** Number of cases with a verified repair that is not decided yet (dry run). */
  readonly pending: number
  /** Of the failed and unproven: right only sometimes. */
  readonly flaky: number
  /** Of the repaired: their repair was reverted since. */
  readonly reverted: number
  /** Repairs in the working tree that are not yet committed, kept or reverted. */
  readonly uncommitted: number
  /** Accepted plans. */
  readonly repairs: number
  /** Plans that were verified after another one for the same cause. */
  readonly retries: number
  readonly llmCalls: number
  /** Tokens of prompts and answers together. */
  readonly llmTokens: number
  /** By the price table, in its currency; 0 for models without a price. */
  readonly llmCost: number
  /** From start to end, in milliseconds; 0 while the run is in progress. */
  readonly ms: number
}

/** Summarises a run from its rows alone, so that a run killed at any moment is counted as far as it got. */
export function summarize({ run, cases, attempts, llm = [] }: RunDetail): Summary {
  const count = (outcome: CaseOutcome): number => cases.filter((record) => record.outcome === outcome).length
  return {
    total: Math.max(run.total, cases.length),
    passed: count('passed'),
    judged: cases.filter((record) => judgedEquivalent(record) !== undefined).length,
    repaired: count('repaired'),
    failed: count('failed'),
    unproven: count('unproven'),
    errored: count('errored'),
    skipped: count('skipped') + countNotAsked({ run, cases }),
    pending: count('pending'),
    flaky: cases.filter(({ label }) => label === 'flaky').length,
    reverted: cases.filter((record) => isReverted(record, attempts)).length,
    uncommitted:
      run.mode === 'repair' && run.decision === 'pending' ? attempts.filter(isUncommitted).length : 0,
    repairs: attempts.filter((attempt) => attempt.outcome === 'accepted').length,
    retries: attempts.filter((attempt) => attempt.retries > 1).length,
    llmCalls: llm.reduce((sum, { calls }) => sum + calls, 0),
    llmTokens: llm.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
    llmCost: llm.reduce((sum, { cost }) => sum + cost, 0),
    ms: run.finishedAt === undefined ? 0 : Date.parse(run.finishedAt) - Date.parse(run.startedAt),
  }
}

/** Reports whether the repair by which a case passed was reverted. */
function isReverted(record: CaseRecord, attempts: RunDetail['attempts']): boolean {
  if (record.outcome !== 'repaired') return false
  return attempts.some(({ id, outcome }) => id === record.repairId && outcome === 'reverted')
}

function isUncommitted({ outcome, commit }: RunDetail['attempts'][number]): boolean {
  return outcome === 'accepted' && commit === undefined
}

/** Counts selected cases without a row: the run ended before they were asked. */
export function countNotAsked({ run, cases }: Pick<RunDetail, 'run' | 'cases'>): number {
  return Math.max(0, run.total - cases.length)
}

/** Returns why a judge takes the queries of a case that passed to mean the same; undefined if it had no part in that. */
export function judgedEquivalent({ verdict, sample }: CaseRecord): string | undefined {
  if (verdict !== 'pass' || sample.verdict !== 'pass' || sample.results?.kind !== 'match') return undefined
  const { judge } = sample.results
  return judge?.answer === 'equivalent' ? judge.reason : undefined
}

/** Reports whether a case needs review: it did not pass, and has no repair that only needs confirmation. */
export function needsPerson(record: CaseRecord): boolean {
  return record.outcome === 'failed' || record.outcome === 'unproven' || record.outcome === 'errored'
}

/** Returns the group of a case in reports: its first tag, or its file without tags. */
function groupOf(record: Pick<CaseRecord, 'tags' | 'file'>): string {
  return record.tags[0] ?? record.file
}

/** Returns groups in the order of their first case. */
export function casesByGroup<T extends Pick<CaseRecord, 'tags' | 'file'>>(
  cases: readonly T[],
): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const record of cases) {
    const group = groups.get(groupOf(record))
    if (group === undefined) groups.set(groupOf(record), [record])
    else group.push(record)
  }
  return groups
}
