import type { SqlCase } from '../benchmark/case.js'
import { caseFingerprint } from '../benchmark/fingerprint.js'
import type { ResultFinding, Score } from '../compare/score.js'
import type { Value } from '../engine/engine.js'
import type { CaseOutcome, CaseRecord, SampleRecord } from '../store/records.js'
import type { Evaluation } from './evaluate.js'

/** What decides whether an earlier answer to a case still counts, beside the case itself. */
export interface EvaluationConditions {
  readonly engine: string
  readonly dialect: string
  readonly asOf: string
  readonly policy: string
  readonly tolerance: number
  readonly fuzz: number
  readonly seed: number
  readonly agent: string
}

/** Changes with all that decides whether an answer to the case still counts. */
export function fingerprintOf(testCase: SqlCase, under: EvaluationConditions): string {
  return caseFingerprint(testCase, { ...under })
}

/** The row of a case after its first evaluation. */
export function baselineRecord(
  evaluation: Evaluation,
  position: number,
  under: EvaluationConditions,
): CaseRecord {
  const { testCase, score } = evaluation
  return {
    caseId: testCase.id,
    position,
    question: testCase.question,
    tags: testCase.tags,
    file: testCase.location.file,
    line: testCase.location.line,
    fingerprint: fingerprintOf(testCase, under),
    outcome: outcomeOf(score),
    verdict: score.verdict,
    baseline: score.verdict,
    label: score.errorCause === 'suspect_oracle' ? 'suspect_oracle' : undefined,
    cause: undefined,
    retries: 0,
    repairId: undefined,
    ms: evaluation.ms,
    sample: sampleRecord(evaluation),
  }
}

/** What is kept of one answer, with its score. */
export function sampleRecord({ testCase, sample, score }: Evaluation): SampleRecord {
  return {
    kind: sample.kind,
    sql: sample.kind === 'sql' ? sample.sql : undefined,
    message: sample.kind === 'sql' ? undefined : fullMessage(sample),
    read: sample.kind === 'error' ? [] : sample.read,
    verdict: score.verdict,
    reason: score.reason,
    structure: score.structure,
    results: score.results === undefined ? undefined : truncateCells(score.results),
    expectedSql: testCase.expectedSql,
    ms: sample.ms,
  }
}

/** An agent's message, and all that is kept of what a broken one printed. */
function fullMessage(sample: Exclude<Evaluation['sample'], { kind: 'sql' }>): string {
  return sample.kind === 'error' && sample.detail !== undefined
    ? `${sample.message}\n${sample.detail}`
    : sample.message
}

/** The evaluation that a stored answer stands for, so that a resumed run asks nothing twice. */
export function evaluationOf(
  { sample, label, ms }: Pick<CaseRecord, 'sample' | 'label' | 'ms'>,
  testCase: SqlCase,
): Evaluation {
  const score: Score = {
    verdict: sample.verdict,
    reason: sample.reason,
    structure: sample.structure,
    results: sample.results,
    errorCause: label === 'suspect_oracle' ? 'suspect_oracle' : undefined,
  }
  const answer: Evaluation['sample'] =
    sample.kind === 'sql'
      ? { kind: 'sql', sql: sample.sql ?? '', read: sample.read, ms: sample.ms }
      : sample.kind === 'no_answer'
        ? { kind: 'no_answer', message: sample.message ?? '', read: sample.read, ms: sample.ms }
        : { kind: 'error', message: sample.message ?? '', ms: sample.ms }
  return { testCase, sample: answer, score, ms }
}

function outcomeOf(score: Score): CaseOutcome {
  switch (score.verdict) {
    case 'pass':
      return 'passed'
    case 'fail':
      return 'failed'
    case 'unproven':
      return 'unproven'
    case 'error':
      return 'errored'
    case 'skipped':
      return 'skipped'
  }
}

const cellCharacters = 200

/** Rows are evidence for people: a megabyte of text in a cell says no more than its start. */
function truncateCells(results: ResultFinding): ResultFinding {
  if (results.kind !== 'match' && results.kind !== 'mismatch') return results
  const short = (row: readonly Value[]): Value[] => row.map(truncateCell)
  const differences = results.comparison.differences.map((difference) => {
    switch (difference.kind) {
      case 'missing':
      case 'extra':
        return { ...difference, row: short(difference.row) }
      case 'changed':
        return { ...difference, expected: short(difference.expected), actual: short(difference.actual) }
      default:
        return difference
    }
  })
  return { ...results, comparison: { ...results.comparison, differences } }
}

function truncateCell(value: Value): Value {
  const cut = (text: string): string =>
    text.length > cellCharacters ? `${text.slice(0, cellCharacters)}… (${text.length} characters)` : text
  if (typeof value === 'string') return cut(value)
  if (typeof value === 'object' && value !== null) return { ...value, text: cut(value.text) }
  return value
}
