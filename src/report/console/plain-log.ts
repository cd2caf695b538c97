import type {
  AttemptRecord,
  CaseOutcome,
  CaseRecord,
  RunDetail,
  RunRecord,
} from '../../store/record-types.js'
import { describeOwnExample } from '../causes.js'
import {
  describeCause,
  describeWarnings,
  formatCost,
  isPlan,
  oneLine,
  plural,
  sanitizeLine,
  shortSnapshotHash,
} from '../format-text.js'
import { describeAgent, honestShare } from '../own-agent.js'
import { benchmarkRepeatStatistics } from '../repeat-statistics.js'
import { judgedEquivalent, summarize } from '../summary.js'
import { truncateMiddle, truncateTo } from './screen-layout.js'

/** Logs wrap by themselves; this only prevents a line from containing a whole query. */
const lineColumns = 400
/**
 * Minimal number of characters kept of the engine's or the agent's own message, however long the cause that
 * follows.
 */
const minReasonLength = 60

/** Returns `autotest r-7f3a: 48 cases, duckdb:data/shop.duckdb, template, knowledge 61b2f0a`. */
export function plainHeader(run: RunRecord): string {
  const facts = [
    plural(run.total, 'case'),
    run.engine,
    describeAgent(run).replace(/^agent /, ''),
    `knowledge ${shortSnapshotHash(run.knowledge)}`,
  ]
  return line(`autotest ${run.id}: ${facts.join(', ')}`)
}

/**
 * Returns `FAIL dau_id_monthly: filter missing: …`, undefined for a case that passed or was repaired by more than a
 * judge's word or a copy of an example. A text longer than `columns` is shortened in the middle: the label is before it, the next step after it.
 */
export function plainCaseLine(record: CaseRecord, columns = lineColumns): string | undefined {
  const outcome = plainWords[record.outcome]
  const judged = judgedEquivalent(record)
  const copied = describeOwnExample(record)
  if (outcome === undefined) {
    const doubts = [...(judged === undefined ? [] : [`judged equivalent: ${judged}`]), ...copied]
    return doubts.length === 0 ? undefined : line(`PASS ${record.caseId}: ${doubts.join('; ')}`, columns)
  }
  const word = record.label === 'flaky' ? 'FLAKY' : outcome
  const { reason } = record.sample
  if (record.label === undefined) return line(`${word} ${record.caseId}: ${record.cause ?? reason}`, columns)
  const cause = [describeCause(record), ...copied].join('; ')
  const said = oneLine(reason).replace(/^no answer: /, '')
  const both = record.outcome === 'failed' && !cause.includes(said)
  const head = `${word} ${record.caseId}: `
  if (!both) return line(`${head}${cause}`, columns)
  const room = Math.max(columns - head.length - cause.length - 3, Math.min(minReasonLength, columns / 5))
  return line(
    `${head}${Number.isFinite(room) ? truncateTo(oneLine(reason), room) : reason} · ${cause}`,
    columns,
  )
}

const plainWords: Readonly<Record<CaseOutcome, string | undefined>> = {
  passed: undefined,
  repaired: undefined,
  failed: 'FAIL',
  unproven: 'UNPROVEN',
  errored: 'ERROR',
  pending: 'PENDING',
  skipped: 'SKIPPED',
}

/** Returns `REPAIRED metric gmv (3 cases, E2): kb/snippets/gmv.sql -1 +1`; `PLANNED` in a dry run. */
export function plainRepairLine(attempt: AttemptRecord, run: Pick<RunRecord, 'mode' | 'decision'>): string {
  const word =
    attempt.outcome === 'accepted' ? (isPlan(run) ? 'PLANNED' : 'REPAIRED') : attempt.outcome.toUpperCase()
  const facts = [
    plural(attempt.cases.length, 'case'),
    ...(attempt.grade === undefined ? [] : [attempt.grade]),
  ]
  const edits = attempt.edits.map((edit) => `${edit.file} -${edit.removed} +${edit.added}`)
  const warnings = attempt.evidence === undefined ? [] : describeWarnings(attempt.evidence)
  const rest =
    attempt.outcome === 'rejected'
      ? (attempt.reason ?? 'verified, but not written')
      : [edits.join(', '), ...warnings.map((text) => `warning: ${text}`)].join('; ')
  return line(`${word} ${attempt.subject} (${facts.join(', ')}): ${rest}`)
}

/** Returns the edits of a plan as a unified diff, so that the log is complete. */
export function plainPlanDiff(attempt: AttemptRecord, run: Pick<RunRecord, 'mode' | 'decision'>): string[] {
  if (!isPlan(run) || attempt.outcome !== 'accepted') return []
  return attempt.edits.flatMap(({ diff }) => diff.trimEnd().split('\n').map(sanitizeLine))
}

/** Returns `HELD metric gmv: … · accept with: autotest apply r-1a2b --repair p1`. */
export function plainQuestionLines({ questions = [] }: RunDetail): string[] {
  return questions
    .filter(({ answer }) => answer === undefined)
    .map(({ subject, statements, options }) => {
      const [first] = statements
      const reason = first === undefined ? '' : `${first.place} says "${first.text}"`
      const accept = options.find(({ answer }) => answer === 'accept')
      const way =
        accept === undefined ? options.map(({ how }) => how).join(' · or ') : `accept with: ${accept.how}`
      return oneLine(`HELD ${subject}: ${reason} · ${way}`)
    })
}

/** Returns `total=48 passed=42 repaired=4 failed=0 unproven=1 errored=1 llm_calls=0 exit=1`. */
export function plainSummary(detail: RunDetail): string {
  const {
    total,
    passed,
    repaired,
    failed,
    unproven,
    errored,
    flaky,
    judged,
    skipped,
    pending,
    reverted,
    uncommitted,
    llmCalls,
    llmTokens,
    llmCost,
  } = summarize(detail)
  const counts = { total, passed, repaired, failed, unproven, errored }
  const rare = Object.entries({ judged, flaky, skipped, pending, reverted, uncommitted }).filter(
    ([, count]) => count > 0,
  )
  const exit = detail.run.exitCode === undefined ? {} : { exit: detail.run.exitCode }
  const spent = {
    llm_calls: llmCalls,
    ...(llmTokens > 0 ? { llm_tokens: llmTokens } : {}),
    ...(llmCost > 0 ? { llm_cost: formatCost(llmCost) } : {}),
  }
  const repeats = benchmarkRepeatStatistics(detail)
  const chances = [...(repeats?.passAt ?? [])].map(([k, share]) => [`pass@${k}`, share.toFixed(4)])
  const broken = repeats === undefined || repeats.broken === 0 ? {} : { broken: repeats.broken }
  const asked =
    repeats === undefined ? {} : { repeat: repeats.times, ...broken, ...Object.fromEntries(chances) }
  const share = honestShare(detail)
  const honest = share === undefined ? {} : { asked_honestly: share.asked }
  return Object.entries({ ...counts, ...Object.fromEntries(rare), ...honest, ...asked, ...spent, ...exit })
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

/** Renders the result of a run, one line per finding, for logs and pipes. */
export function plainReport(detail: RunDetail): string[] {
  return [
    plainHeader(detail.run),
    ...detail.cases.map((record) => plainCaseLine(record)).filter((text) => text !== undefined),
    ...detail.attempts
      .filter((attempt) => attempt.outcome !== 'rejected')
      .flatMap((attempt) => [plainRepairLine(attempt, detail.run), ...plainPlanDiff(attempt, detail.run)]),
    ...plainQuestionLines(detail),
    plainSummary(detail),
  ]
}

function line(text: string, columns = lineColumns): string {
  return Number.isFinite(columns) ? truncateMiddle(oneLine(text), columns) : oneLine(text)
}
