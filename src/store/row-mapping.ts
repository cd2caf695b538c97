import { decodeJson, encodeJson } from './encode-json.js'
import type { QuestionDraft, QuestionRecord } from './question-types.js'
import type {
  AttemptRecord,
  CaseOutcome,
  CaseRecord,
  EditRecord,
  Evidence,
  Grade,
  RunRecord,
  SampleRecord,
} from './record-types.js'

/** Rows of the tables in migrations.ts; their CHECK constraints guarantee the narrow types. */
export interface RunRow {
  readonly seq: number
  readonly id: string
  readonly root: string | null
  readonly started_at: string
  readonly finished_at: string | null
  readonly status: RunRecord['status']
  readonly mode: RunRecord['mode']
  readonly engine: string
  readonly agent: string
  readonly dialect: string
  readonly knowledge: string
  readonly knowledge_after: string | null
  readonly total: number
  readonly options: string
  readonly decision: RunRecord['decision']
  readonly exit_code: number | null
  readonly failure: string | null
}

/** A sample with its score. */
export interface SampleRow {
  /** An answer is stored as `sql`, whatever its case asks for, because of the first version of the schema. */
  readonly kind: Exclude<SampleRecord['kind'], 'answer' | 'unreadable'> | 'sql'
  /** Of `no_answer`: 1 for an unreadable answer, which the first version of the schema has no kind for. */
  readonly unreadable: 0 | 1
  readonly sql: string | null
  readonly message: string | null
  readonly entries_read: string
  readonly expected_sql: string
  readonly ms: number
  readonly verdict: SampleRecord['verdict']
  readonly reason: string
  readonly structure: string | null
  readonly results: string | null
  readonly differences: string | null
  readonly findings: string | null
  readonly own_example: string | null
}

export interface CaseColumns {
  readonly kind: string
  readonly case_id: string
  readonly position: number
  readonly question: string
  readonly tags: string
  readonly file: string
  readonly line: number
  readonly fingerprint: string
  readonly outcome: CaseOutcome
  readonly verdict: CaseRecord['verdict']
  readonly baseline: CaseRecord['baseline']
  readonly label: CaseRecord['label'] | null
  readonly cause: string | null
  readonly cause_key: string | null
  readonly subject: string | null
  readonly retries: number
  readonly repair_id: string | null
  readonly ms: number
}

/** A case joined with its sample, whose columns of equal name have a prefix. */
export interface CaseRow extends Omit<CaseColumns, 'kind'>, Omit<SampleRow, 'verdict' | 'ms'> {
  readonly case_kind: string
  readonly sample_verdict: SampleRecord['verdict']
  readonly sample_ms: number
  /** JSON list of verdicts; empty for a case that was asked once. */
  readonly answers: string
}

export interface AttemptColumns {
  readonly id: string
  readonly label: AttemptRecord['label']
  readonly subject: string
  readonly title: string
  readonly reasoning: string
  readonly cases: string
  readonly outcome: AttemptRecord['outcome']
  readonly reason: string | null
  readonly grade: Grade | null
  readonly gold_exposed: 0 | 1
  readonly evidence: string | null
  readonly retries: number
  readonly ms: number
  readonly llm_calls: number
  readonly commit_id: string | null
}

export function runOfRow(row: RunRow): RunRecord {
  return {
    id: row.id,
    root: row.root ?? undefined,
    startedAt: row.started_at,
    finishedAt: row.finished_at ?? undefined,
    status: row.status,
    mode: row.mode,
    engine: row.engine,
    agent: row.agent,
    dialect: row.dialect,
    knowledge: row.knowledge,
    knowledgeAfter: row.knowledge_after ?? undefined,
    total: row.total,
    options: decodeJson(row.options),
    decision: row.decision,
    exitCode: row.exit_code ?? undefined,
    failure: row.failure ?? undefined,
  }
}

export function rowOfSample(sample: SampleRecord): SampleRow & { readonly trace: string | null } {
  return {
    kind: storedKind(sample.kind),
    unreadable: sample.kind === 'unreadable' ? 1 : 0,
    sql: sample.answer ?? null,
    message: sample.message ?? null,
    entries_read: encodeJson(sample.read),
    expected_sql: sample.expected,
    ms: sample.ms,
    verdict: sample.verdict,
    reason: sample.reason,
    structure: sample.structure === undefined ? null : encodeJson(sample.structure),
    results: sample.results === undefined ? null : encodeJson(sample.results),
    differences: sample.differences === undefined ? null : encodeJson(sample.differences),
    findings: sample.findings === undefined ? null : encodeJson(sample.findings),
    own_example: sample.ownExample ?? null,
    trace: sample.trace === undefined ? null : encodeJson(sample.trace),
  }
}

function storedKind(kind: SampleRecord['kind']): SampleRow['kind'] {
  if (kind === 'unreadable') return 'no_answer'
  return kind === 'answer' ? 'sql' : kind
}

export function sampleOfRow(row: SampleRow): SampleRecord {
  return {
    kind: row.unreadable === 1 ? 'unreadable' : row.kind === 'sql' ? 'answer' : row.kind,
    answer: row.sql ?? undefined,
    message: row.message ?? undefined,
    read: decodeJson(row.entries_read),
    verdict: row.verdict,
    reason: row.reason,
    structure: row.structure === null ? undefined : decodeJson(row.structure),
    results: row.results === null ? undefined : decodeJson(row.results),
    ...(row.differences === null ? {} : { differences: decodeJson<string[]>(row.differences) }),
    ...(row.findings === null ? {} : { findings: decodeJson<unknown>(row.findings) }),
    expected: row.expected_sql,
    ms: row.ms,
    ...(row.own_example === null ? {} : { ownExample: row.own_example }),
  }
}

export function rowOfCase(record: CaseRecord): CaseColumns {
  return {
    kind: record.kind,
    case_id: record.caseId,
    position: record.position,
    question: record.question,
    tags: encodeJson(record.tags),
    file: record.file,
    line: record.line,
    fingerprint: record.fingerprint,
    outcome: record.outcome,
    verdict: record.verdict,
    baseline: record.baseline,
    label: record.label ?? null,
    cause: record.cause ?? null,
    cause_key: record.sharedCause?.key ?? null,
    subject: record.sharedCause?.subject ?? null,
    retries: record.retries,
    repair_id: record.repairId ?? null,
    ms: record.ms,
  }
}

export function caseOfRow(row: CaseRow): CaseRecord {
  const answers = decodeJson<SampleRecord['verdict'][]>(row.answers)
  return {
    kind: row.case_kind,
    caseId: row.case_id,
    position: row.position,
    question: row.question,
    tags: decodeJson(row.tags),
    file: row.file,
    line: row.line,
    fingerprint: row.fingerprint,
    outcome: row.outcome,
    verdict: row.verdict,
    baseline: row.baseline,
    label: row.label ?? undefined,
    cause: row.cause ?? undefined,
    ...(row.cause_key === null ? {} : { sharedCause: { key: row.cause_key, subject: row.subject ?? '' } }),
    retries: row.retries,
    repairId: row.repair_id ?? undefined,
    ms: row.ms,
    sample: sampleOfRow({ ...row, verdict: row.sample_verdict, ms: row.sample_ms }),
    ...(answers.length === 0 ? {} : { answers }),
  }
}

export interface QuestionRow {
  readonly id: string
  readonly kind: QuestionDraft['kind']
  readonly subject: string
  readonly question: string
  readonly change: string | null
  readonly statements: string
  readonly cases: string
  readonly options: string
  readonly repair: string | null
  readonly asked_at: string
  readonly expires_at: string
  readonly answer: QuestionRecord['answer'] | null
  readonly answered_at: string | null
}

export function questionOfRow(row: QuestionRow): QuestionRecord {
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    question: row.question,
    change: row.change === null ? undefined : decodeJson(row.change),
    statements: decodeJson(row.statements),
    cases: decodeJson(row.cases),
    options: decodeJson(row.options),
    ...(row.repair === null ? {} : { repair: row.repair }),
    askedAt: row.asked_at,
    expiresAt: row.expires_at,
    answer: row.answer ?? undefined,
    answeredAt: row.answered_at ?? undefined,
  }
}

export function rowOfAttempt(attempt: AttemptRecord): AttemptColumns {
  return {
    id: attempt.id,
    label: attempt.label,
    subject: attempt.subject,
    title: attempt.title,
    reasoning: attempt.reasoning,
    cases: encodeJson(attempt.cases),
    outcome: attempt.outcome,
    reason: attempt.reason ?? null,
    grade: attempt.grade ?? null,
    gold_exposed: attempt.goldExposed ? 1 : 0,
    evidence: attempt.evidence === undefined ? null : encodeJson(attempt.evidence),
    retries: attempt.retries,
    ms: attempt.ms,
    llm_calls: attempt.llmCalls,
    commit_id: attempt.commit ?? null,
  }
}

export function attemptOfRow(row: AttemptColumns, edits: readonly EditRecord[]): AttemptRecord {
  return {
    id: row.id,
    label: row.label,
    subject: row.subject,
    title: row.title,
    reasoning: row.reasoning,
    cases: decodeJson(row.cases),
    outcome: row.outcome,
    reason: row.reason ?? undefined,
    grade: row.grade ?? undefined,
    goldExposed: row.gold_exposed === 1,
    evidence: row.evidence === null ? undefined : decodeJson<Evidence>(row.evidence),
    edits,
    retries: row.retries,
    ms: row.ms,
    llmCalls: row.llm_calls,
    commit: row.commit_id ?? undefined,
  }
}
