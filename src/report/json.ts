import type { RowDifference } from '../compare/model/sql-score.js'
import type { Value } from '../engine/contract/engine.js'
import type { AttemptRecord, CaseRecord, RunDetail, SampleRecord } from '../store/record-types.js'
import { jsonText } from '../text/escape.js'
import { causesOf, type ReportedCause } from './causes.js'
import { describeDifferences } from './format-text.js'
import { honestShare } from './own-agent.js'
import { benchmarkRepeatStatistics, repeatStatisticsOf } from './repeat-statistics.js'
import { cellText } from './row-differences.js'
import { judgedEquivalent, needsPerson, summarize } from './summary.js'

/**
 * Renders the report for programs, in pieces of text: that of a hundred thousand cases is not held whole. Keys of absent values
 * are left out.
 *
 * @param recordOf what is shown of a case
 */
export function* jsonReport(
  detail: RunDetail,
  recordOf: (record: CaseRecord) => CaseRecord = (record) => record,
): Generator<string> {
  const {
    cases: _later,
    causes: _all,
    questions,
    repairs,
    ...before
  } = reportOf({ ...detail, cases: [] }, detail)
  const causes = causesOf(detail.cases.filter(needsPerson).map(recordOf))
  const ids = causeIds(causes)
  yield `${jsonText(before, 2).slice(0, -2)},\n  "cases": [`
  for (const [at, record] of detail.cases.entries())
    yield `${at === 0 ? '' : ','}\n${indented(reportedCase(recordOf(record), ids), '    ')}`
  yield detail.cases.length === 0 ? ']' : '\n  ]'
  // Without the brace at the begin.
  yield `,${jsonText({ causes: causes.map(reportedCause), questions, repairs }, 2).slice(1)}\n`
}

/** Line ends within texts are escaped: every other one may be indented. */
function indented(value: unknown, by: string): string {
  return by + jsonText(value, 2).replaceAll('\n', `\n${by}`)
}

/**
 * Returns the report as data: run, summary, cases, repairs.
 *
 * @param counted of which the summary tells
 */
export function reportOf(detail: RunDetail, counted: RunDetail = detail) {
  const { options: _asked, ...run } = detail.run
  const causes = causesOf(detail.cases)
  const ids = causeIds(causes)
  return {
    run,
    summary: { ...summarize(counted), repeat: reportedBenchmark(counted), honest: honestShare(counted) },
    llm: detail.llm ?? [],
    engines: detail.engines ?? [],
    cases: detail.cases.map((record) => reportedCase(record, ids)),
    causes: causes.map(reportedCause),
    questions: detail.questions ?? [],
    repairs: detail.attempts.filter((attempt) => attempt.outcome !== 'rejected').map(reportedRepair),
  }
}

/** Returns the id of the cause of each case that needs review. */
function causeIds(causes: readonly ReportedCause[]): ReadonlyMap<string, string> {
  return new Map(causes.flatMap(({ id, cases }) => cases.map(({ caseId }) => [caseId, id] as const)))
}

function reportedCause({ id, subject, label, cases }: ReportedCause) {
  const [first] = cases
  return { id, subject, label, cause: first.cause, cases: cases.map(({ caseId }) => caseId) }
}

function reportedCase(record: CaseRecord, causes: ReadonlyMap<string, string>) {
  const { sample } = record
  return {
    kind: record.kind,
    id: record.caseId,
    question: record.question,
    tags: record.tags,
    file: record.file,
    line: record.line,
    verdict: record.verdict,
    outcome: record.outcome,
    baseline: record.baseline,
    repaired: record.outcome === 'repaired',
    repair: record.repairId,
    retries: Math.max(0, record.retries - 1),
    label: record.label,
    cause: record.cause,
    sharedCause: causes.get(record.caseId),
    reason: sample.reason,
    judged: judgedEquivalent(record),
    differences: record.verdict === 'pass' ? [] : describeDifferences(sample),
    rows: reportedRows(sample.results),
    answer: sample.kind,
    message: sample.message,
    sql: sample.answer,
    expectedSql: sample.expected,
    read: sample.read,
    ownExample: sample.ownExample,
    ms: record.ms,
    repeat: reportedRepeats(record),
  }
}

/** Returns `passAt` by k and `interval` for pass@1 at 95%; undefined if each case was asked once. */
function reportedBenchmark(detail: RunDetail) {
  const repeats = benchmarkRepeatStatistics(detail)
  return repeats && { ...repeats, passAt: Object.fromEntries(repeats.passAt) }
}

function reportedRepeats(record: CaseRecord) {
  const repeats = repeatStatisticsOf(record)
  return repeats && { ...repeats, passAt: Object.fromEntries(repeats.passAt), verdicts: record.answers }
}

/** Returns counts and the first differing rows, if results were compared and differ. */
function reportedRows(results: SampleRecord['results']) {
  if (results?.kind !== 'mismatch') return undefined
  const { columns, expectedRows, actualRows, differing, differences } = results.comparison
  return {
    columns,
    expected: expectedRows,
    actual: actualRows,
    differing,
    differences: differences.map(reportedDifference),
  }
}

function reportedDifference(difference: RowDifference) {
  switch (difference.kind) {
    case 'columns':
    case 'order':
      return { kind: difference.kind, text: difference.text }
    case 'missing':
      return { kind: difference.kind, expected: difference.row.map(plainCell) }
    case 'extra':
      return { kind: difference.kind, actual: difference.row.map(plainCell) }
    case 'changed':
      return {
        kind: difference.kind,
        expected: difference.expected.map(plainCell),
        actual: difference.actual.map(plainCell),
      }
  }
}

/** Returns JSON's own value if that loses nothing; else the digits or the text. */
function plainCell(value: Value): null | boolean | number | string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value)
  return cellText(value)
}

function reportedRepair(attempt: AttemptRecord) {
  return {
    id: attempt.id,
    label: attempt.label,
    subject: attempt.subject,
    title: attempt.title,
    outcome: attempt.outcome,
    grade: attempt.grade,
    goldExposed: attempt.goldExposed,
    reasoning: attempt.reasoning,
    cases: attempt.cases,
    edits: attempt.edits.map(({ kind, file, diff }) => ({ kind, file, diff })),
    evidence: attempt.evidence,
    cost: { llmCalls: attempt.llmCalls, retries: Math.max(0, attempt.retries - 1), ms: attempt.ms },
    commit: attempt.commit,
  }
}
