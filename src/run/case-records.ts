import type { BenchmarkCase } from '../benchmark/case.js'
import { caseFingerprint } from '../benchmark/fingerprint.js'
import type { Sample } from '../contracts/agent-answer.js'
import type { DomainTypes } from '../contracts/domain-types.js'
import type { Score } from '../contracts/score.js'
import type { CaseOutcome, CaseRecord, SampleRecord } from '../store/record-types.js'
import type { Evaluation } from './evaluate-case.js'

/** The conditions that an earlier answer to a case depends on, besides the case itself. */
export interface EvaluationConditions {
  readonly engine: string
  readonly dialect: string
  readonly asOf: string
  readonly policy: string
  readonly tolerance: number
  readonly fuzz: number
  readonly seed: number
  readonly agent: string
  /** Changes with the files that are tested; absent where there are none. */
  readonly project?: string | undefined
}

/** The stored part of a score, besides its verdict. */
export type Findings = Pick<SampleRecord, 'structure' | 'results' | 'differences' | 'findings'>

/** The parts of a case that reports and the run database store, by kind of case. */
export interface CaseRecorder<T extends DomainTypes> {
  /** Returns the expected answer as shown to people. */
  expected(testCase: T['case']): string
  /**
   * Returns everything in a case that determines its verdict: an earlier answer is valid while it is equal.
   */
  identity(testCase: T['case']): Readonly<Record<string, unknown>>
  findings(score: T['score']): Findings
  /** Returns the stored score, so that a resumed run scores nothing twice. */
  restore(score: Score, findings: Findings): T['score']
}

/**
 * Returns a fingerprint that changes with everything that determines whether an answer to the case is still
 * valid.
 */
export function fingerprintOf<T extends DomainTypes>(
  testCase: T['case'],
  under: EvaluationConditions,
  recorder: CaseRecorder<T>,
): string {
  return caseFingerprint(recorder.identity(testCase), { ...under })
}

/** Returns the row of a case after its first evaluation. */
export function baselineRecord<T extends DomainTypes>(
  evaluation: Evaluation<T>,
  position: number,
  under: EvaluationConditions,
  recorder: CaseRecorder<T>,
): CaseRecord {
  const { score, testCase } = evaluation
  const { kind, id, question, tags, location }: BenchmarkCase = testCase
  return {
    kind,
    caseId: id,
    position,
    question,
    tags,
    file: location.file,
    line: location.line,
    fingerprint: fingerprintOf(testCase, under, recorder),
    outcome: outcomeOf(score),
    verdict: score.verdict,
    baseline: score.verdict,
    label: labelOf(score),
    cause: undefined,
    retries: 0,
    repairId: undefined,
    ms: evaluation.ms,
    sample: sampleRecord(evaluation, recorder),
  }
}

/** Returns the stored form of one answer, with its score. */
export function sampleRecord<T extends DomainTypes>(
  { testCase, sample, score }: Evaluation<T>,
  recorder: CaseRecorder<T>,
): SampleRecord {
  return {
    kind: sample.kind,
    answer: sample.kind === 'answer' ? sample.text : undefined,
    message: sample.kind === 'answer' ? undefined : fullMessage(sample),
    read: sample.kind === 'error' ? [] : sample.read,
    verdict: score.verdict,
    reason: score.reason,
    ...recorder.findings(score),
    expected: recorder.expected(testCase),
    ms: sample.ms,
    ...(sample.ownExample === undefined ? {} : { ownExample: sample.ownExample }),
    ...(sample.trace === undefined ? {} : { trace: sample.trace }),
  }
}

/** Returns an agent's message, and everything that was kept of a failed agent's output. */
function fullMessage(sample: Exclude<Sample, { kind: 'answer' }>): string {
  return sample.kind === 'error' && sample.detail !== undefined
    ? `${sample.message}\n${sample.detail}`
    : sample.message
}

/** Returns the evaluation of a stored answer, so that a resumed run asks nothing twice. */
export function evaluationOf<T extends DomainTypes>(
  { sample, label, ms }: Pick<CaseRecord, 'sample' | 'label' | 'ms'>,
  testCase: T['case'],
  recorder: CaseRecorder<T>,
): Evaluation<T> {
  const { verdict, reason, read, message = '' } = sample
  const score = recorder.restore(
    {
      verdict,
      reason,
      errorCause: label === 'suspect_oracle' || label === 'schema_changed' ? 'suspect_oracle' : undefined,
    },
    sample,
  )
  const answer: Sample =
    sample.kind === 'answer'
      ? {
          kind: 'answer',
          text: sample.answer ?? '',
          read,
          ms: sample.ms,
          ...(sample.ownExample === undefined ? {} : { ownExample: sample.ownExample }),
        }
      : sample.kind === 'no_answer'
        ? { kind: 'no_answer', message, read, ms: sample.ms }
        : sample.kind === 'unreadable'
          ? { kind: 'unreadable', message, read, ms: sample.ms }
          : { kind: 'error', message, ms: sample.ms }
  return { testCase, sample: answer, score, ms }
}

function labelOf({ errorCause }: Score): CaseRecord['label'] {
  return errorCause === 'suspect_oracle' || errorCause === 'engine_busy' ? errorCause : undefined
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
