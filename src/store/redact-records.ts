import type { Redactor } from '../text/secrets.js'
import type { AttemptRecord, CaseRecord, RunDetail, RunRecord, SampleRecord } from './record-types.js'

/** Redacts a run's record, or the part that is known at its start. */
export function redactRun<T extends Pick<RunRecord, 'engine' | 'agent' | 'options'>>(
  run: T,
  clean: Redactor,
): T {
  return {
    ...run,
    engine: clean(run.engine),
    agent: clean(run.agent),
    options: redactTexts(run.options, clean),
  }
}

/**
 * Redacts a case. Ids, positions and fixed words stay: a secret that happens to equal one must not break a
 * lookup.
 */
export function redactCase(record: CaseRecord, clean: Redactor): CaseRecord {
  return {
    ...record,
    question: clean(record.question),
    cause: redactMaybe(record.cause, clean),
    ...(record.sharedCause === undefined
      ? {}
      : { sharedCause: { ...record.sharedCause, subject: clean(record.sharedCause.subject) } }),
    sample: redactSample(record.sample, clean),
  }
}

export function redactSample(sample: SampleRecord, clean: Redactor): SampleRecord {
  return {
    ...sample,
    answer: redactMaybe(sample.answer, clean),
    message: redactMaybe(sample.message, clean),
    reason: clean(sample.reason),
    structure: redactTexts(sample.structure, clean),
    results: redactTexts(sample.results, clean),
    ...(sample.differences === undefined
      ? {}
      : { differences: sample.differences.map((text) => clean(text)) }),
    ...(sample.findings === undefined ? {} : { findings: redactTexts(sample.findings, clean) }),
    ...(sample.trace === undefined ? {} : { trace: redactTexts(sample.trace, clean) }),
    expected: clean(sample.expected),
  }
}

export function redactAttempt(attempt: AttemptRecord, clean: Redactor): AttemptRecord {
  return {
    ...attempt,
    subject: clean(attempt.subject),
    title: clean(attempt.title),
    reasoning: clean(attempt.reasoning),
    reason: redactMaybe(attempt.reason, clean),
    evidence: attempt.evidence === undefined ? undefined : redactTexts(attempt.evidence, clean),
    edits: attempt.edits.map((edit) => ({ ...edit, diff: clean(edit.diff) })),
  }
}

export function redactDetail(detail: RunDetail, clean: Redactor): RunDetail {
  return {
    ...detail,
    run: redactRun(detail.run, clean),
    cases: detail.cases.map((record) => redactCase(record, clean)),
    attempts: detail.attempts.map((attempt) => redactAttempt(attempt, clean)),
    ...(detail.questions === undefined ? {} : { questions: redactTexts(detail.questions, clean) }),
  }
}

/** Redacts every text within plain data, except the fixed words that distinguish its kinds. */
export function redactTexts<T>(value: T, clean: Redactor): T
export function redactTexts(value: unknown, clean: Redactor): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((part) => redactTexts(part, clean))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, fixedWords.has(key) ? part : redactTexts(part, clean)]),
  )
}

const fixedWords = new Set(['kind', 'component', 'side', 'how'])

function redactMaybe(text: string | undefined, clean: Redactor): string | undefined {
  return text === undefined ? undefined : clean(text)
}
