import type { JudgeFinding } from '../compare/model/judge-finding.js'
import type { EngineUse } from '../engine/metered-engine.js'
import type { Database } from '../platform/sqlite.js'
import { decodeJson } from './encode-json.js'
import type {
  AnswerRecord,
  AttemptRecord,
  CaseOutcome,
  CaseRecord,
  EditRecord,
  LlmCallRow,
  LlmUsage,
  RunDetail,
  RunRecord,
} from './record-types.js'
import {
  type AttemptColumns,
  attemptOfRow,
  type CaseRow,
  caseOfRow,
  type QuestionRow,
  questionOfRow,
  type RunRow,
  runOfRow,
  type SampleRow,
  sampleOfRow,
} from './row-mapping.js'
import type { FileChange } from './write-statements.js'

/** Number of cases with each outcome, counted from the rows. */
export type OutcomeCounts = Readonly<Record<CaseOutcome, number>>

export type RunListing = RunRecord & {
  readonly counts: OutcomeCounts
  /** Number of accepted plans. */
  readonly repairs: number
}

/** A case in one run. */
export interface CaseHistoryEntry {
  readonly run: RunRecord
  readonly record: CaseRecord
  /** Plans for this case, in the order tried. */
  readonly attempts: readonly AttemptRecord[]
  /** Ids of the other cases of the run that fail from the same cause. */
  readonly alike: readonly string[]
}

export interface EditedFile extends FileChange {
  readonly attemptId: string
}

/** A model answer with the key of its request. */
export interface StoredCompletion {
  readonly key: string
  readonly completion: unknown
}

/**
 * How often each case was asked, if more than once: further answers are those to failures that were asked
 * again.
 */
const repeated = "(SELECT nullif(json_extract(r.options, '$.repeat'), 1) FROM runs r WHERE r.seq = c.run)"

const caseColumns = `
  c.kind AS case_kind, c.case_id, c.position, c.question, c.tags, c.file, c.line, c.fingerprint, c.outcome, c.verdict, c.baseline,
  c.label, c.cause, c.cause_key, c.subject, c.retries, c.repair_id, c.ms, s.kind, s.unreadable, s.sql, s.message, s.entries_read, s.expected_sql,
  s.ms AS sample_ms, sc.verdict AS sample_verdict, sc.reason, sc.structure, sc.results, sc.differences, sc.findings, s.own_example,
  (SELECT json_group_array(v.verdict ORDER BY a.number) FROM answers a JOIN scores v ON v.sample = a.sample
   WHERE a.run = c.run AND a.case_id = c.case_id AND a.number < ${repeated}) AS answers`
const caseTables = 'cases c JOIN samples s ON s.id = c.sample JOIN scores sc ON sc.sample = s.id'

/** The reading part of the store; runs are identified by their row number. */
export type Queries = ReturnType<typeof prepareQueries>

export function prepareQueries(database: Database) {
  const runById = database.prepare<[string], RunRow>('SELECT * FROM runs WHERE id = ?')
  const runsByPrefix = database.prepare<{ prefix: string }, { id: string }>(
    'SELECT id FROM runs WHERE substr(id, 1, length(@prefix)) = @prefix ORDER BY seq DESC',
  )
  const latest = database.prepare<{ root: string | null }, RunRow>(
    'SELECT * FROM runs WHERE (@root IS NULL OR root = @root) ORDER BY seq DESC LIMIT 1',
  )
  const withoutEnd = database.prepare<[string], RunRow>(
    `SELECT * FROM runs WHERE root = ? AND status = 'running'`,
  )
  const newest = database.prepare<[number], RunRow>('SELECT * FROM runs ORDER BY seq DESC LIMIT ?')
  const outcomes = database.prepare<[number], { outcome: CaseOutcome; count: number }>(
    'SELECT outcome, count(*) AS count FROM cases WHERE run = ? GROUP BY outcome',
  )
  const accepted = database.prepare<[number], { count: number }>(
    `SELECT count(*) AS count FROM attempts WHERE run = ? AND outcome = 'accepted'`,
  )
  const cases = database.prepare<[number], CaseRow>(
    `SELECT ${caseColumns} FROM ${caseTables} WHERE c.run = ? ORDER BY c.position, c.case_id`,
  )
  const chapters = database.prepare<[string, number], CaseRow & { seq: number }>(
    `SELECT c.run AS seq, ${caseColumns} FROM ${caseTables} WHERE c.case_id = ? ORDER BY c.run DESC LIMIT ?`,
  )
  const runBySeq = database.prepare<[number], RunRow>('SELECT * FROM runs WHERE seq = ?')
  const attemptsFor = database.prepare<[number, string], AttemptColumns & { seq: number }>(
    `SELECT * FROM attempts WHERE run = ? AND EXISTS (SELECT 1 FROM json_each(attempts.cases) WHERE value = ?)
     ORDER BY seq`,
  )
  const alikeOf = database.prepare<[number, string | null, string], { case_id: string }>(
    'SELECT case_id FROM cases WHERE run = ? AND cause_key = ? AND case_id <> ? ORDER BY position, case_id',
  )
  const caseIds = database.prepare<[], { case_id: string }>('SELECT DISTINCT case_id FROM cases')
  const withOutcome = database.prepare<[number, string], { case_id: string }>(
    `SELECT case_id FROM cases WHERE run = ? AND outcome IN (SELECT value FROM json_each(?)) ORDER BY position, case_id`,
  )
  const attempts = database.prepare<[number], AttemptColumns & { seq: number }>(
    'SELECT * FROM attempts WHERE run = ? ORDER BY seq',
  )
  const edits = database.prepare<[number], EditRecord>(
    'SELECT kind, file, diff, added, removed FROM edits WHERE attempt = ? ORDER BY position',
  )
  const files = database.prepare<{ run: number; id: string | null }, EditedFile>(
    `SELECT a.id AS attemptId, f.path, f.before, f.after FROM edited_files f JOIN attempts a ON a.seq = f.attempt
     WHERE a.run = @run AND ((@id IS NULL AND a.outcome = 'accepted') OR a.id = @id) ORDER BY a.seq, f.rowid`,
  )
  // A dry run wrote nothing until it was applied.
  const writes = database.prepare<{ root: string; path: string }, FileChange>(
    `SELECT f.path, f.before, f.after FROM edited_files f JOIN attempts a ON a.seq = f.attempt JOIN runs r ON r.seq = a.run
     WHERE r.root = @root AND f.path = @path AND a.outcome = 'accepted' AND (r.mode = 'repair' OR r.decision = 'kept')
     ORDER BY a.seq DESC`,
  )
  const reverted = database.prepare<{ root: string; path: string; after: Uint8Array | null }, { id: string }>(
    `SELECT r.id FROM edited_files f JOIN attempts a ON a.seq = f.attempt JOIN runs r ON r.seq = a.run
     WHERE r.root = @root AND f.path = @path AND f.after IS @after AND a.outcome = 'reverted' ORDER BY a.seq DESC LIMIT 1`,
  )
  const answers = database.prepare<
    [number],
    SampleRow & { case_id: string; number: number; fingerprint: string }
  >(
    `SELECT a.case_id, a.number, a.fingerprint, kind, unreadable, sql, message, entries_read, expected_sql, s.ms, verdict, reason,
     structure, results, differences, findings, own_example FROM answers a JOIN samples s ON s.id = a.sample JOIN scores sc ON sc.sample = s.id
     WHERE a.run = ?`,
  )
  const trace = database.prepare<[number, string], { trace: string | null }>(
    'SELECT s.trace FROM cases c JOIN samples s ON s.id = c.sample WHERE c.run = ? AND c.case_id = ?',
  )
  const questions = database.prepare<[number], QuestionRow>(
    'SELECT * FROM questions WHERE run = ? ORDER BY seq',
  )
  const endpointFacts = database.prepare<[string, string], { facts: string }>(
    'SELECT facts FROM endpoint_facts WHERE key = ? AND learned_at >= ?',
  )
  const judgement = database.prepare<[string], JudgeFinding>(
    'SELECT r.id AS run, j.answer, j.reason FROM judgements j JOIN runs r ON r.seq = j.run WHERE j.key = ?',
  )

  // One row at a time: ten thousand cases at once would take tens of megabytes for nothing.
  const casesOf = (run: number): CaseRecord[] => Array.from(cases.iterate(run), caseOfRow)
  const attemptOf = (row: AttemptColumns & { seq: number }): AttemptRecord =>
    attemptOfRow(row, edits.all(row.seq))
  const attemptsOf = (run: number): AttemptRecord[] => attempts.all(run).map(attemptOf)
  const llmUsage = database.prepare<[number], LlmUsage & { readonly cachedTokens: number }>(
    `SELECT role, model, count(*) AS calls, sum(input_tokens) AS inputTokens, sum(output_tokens) AS outputTokens,
     coalesce(sum(json_extract(completion, '$.usage.cachedTokens')), 0) AS cachedTokens, sum(cost) AS cost FROM llm_calls WHERE run = ? GROUP BY role, model ORDER BY role, model`,
  )
  const engineUses = database.prepare<
    [number],
    { url: string; queries: number; ms: number; scannedBytes: number | null }
  >('SELECT url, queries, ms, scanned_bytes AS scannedBytes FROM engine_uses WHERE run = ? ORDER BY url')
  const llmCallRows = database.prepare<[number], LlmCallRow>(
    `SELECT role, case_id AS caseId, model, key, sample, attempt, input_tokens AS inputTokens, output_tokens AS outputTokens,
     cost, ms, completion FROM llm_calls WHERE run = ? ORDER BY seq`,
  )
  const llmCalls = database.prepare<[number], { key: string; completion: string }>(
    'SELECT key, completion FROM llm_calls WHERE run = ? ORDER BY seq',
  )

  const countsOf = (run: number): OutcomeCounts => {
    const counts = { passed: 0, repaired: 0, failed: 0, unproven: 0, errored: 0, skipped: 0, pending: 0 }
    for (const { outcome, count } of outcomes.all(run)) counts[outcome] = count
    return counts
  }

  return {
    seqOf: (id: string): number | undefined => runById.get(id)?.seq,
    idsWith: (prefix: string): string[] => runsByPrefix.all({ prefix }).map((row) => row.id),
    latest: (root: string | undefined): RunRecord | undefined => {
      const row = latest.get({ root: root ?? null })
      return row === undefined ? undefined : runOfRow(row)
    },
    withoutEnd: (root: string): RunRecord[] => withoutEnd.all(root).map(runOfRow),
    list: (limit: number): RunListing[] =>
      newest.all(limit).map((row) => ({
        ...runOfRow(row),
        counts: countsOf(row.seq),
        repairs: accepted.get(row.seq)?.count ?? 0,
      })),
    llmCallRows: (run: number): LlmCallRow[] => llmCallRows.all(run),
    detail: (id: string): RunDetail | undefined => {
      const row = runById.get(id)
      if (row === undefined) return undefined
      const llm = llmUsage
        .all(row.seq)
        .map(
          ({ cachedTokens, ...usage }): LlmUsage => (cachedTokens > 0 ? { ...usage, cachedTokens } : usage),
        )
      const asked = questions.all(row.seq).map(questionOfRow)
      const engines = engineUses
        .all(row.seq)
        .map(
          ({ scannedBytes, ...use }): EngineUse => (scannedBytes === null ? use : { ...use, scannedBytes }),
        )
      return {
        run: runOfRow(row),
        cases: casesOf(row.seq),
        attempts: attemptsOf(row.seq),
        ...(asked.length === 0 ? {} : { questions: asked }),
        ...(llm.length === 0 ? {} : { llm }),
        ...(engines.length === 0 ? {} : { engines }),
      }
    },
    cases: casesOf,
    chapters: (caseId: string, limit: number): CaseHistoryEntry[] =>
      chapters.all(caseId, limit).flatMap((row) => {
        const run = runBySeq.get(row.seq)
        if (run === undefined) return []
        const about = attemptsFor.all(row.seq, caseId).map(attemptOf)
        const alike = alikeOf.all(row.seq, row.cause_key, caseId).map((other) => other.case_id)
        return [{ run: runOfRow(run), record: caseOfRow(row), attempts: about, alike }]
      }),
    caseIds: (): string[] => caseIds.all().map((row) => row.case_id),
    llmCompletions: (run: number): StoredCompletion[] =>
      llmCalls.all(run).map(({ key, completion }) => ({ key, completion: JSON.parse(completion) })),
    idsWithOutcome: (run: number, outcomes: readonly CaseOutcome[]): string[] =>
      withOutcome.all(run, JSON.stringify(outcomes)).map((row) => row.case_id),
    trace: (run: number, caseId: string): unknown => {
      const text = trace.get(run, caseId)?.trace ?? null
      return text === null ? undefined : decodeJson<unknown>(text)
    },
    files: (run: number, attemptId: string | undefined): EditedFile[] =>
      files.all({ run, id: attemptId ?? null }),
    writes: (root: string, path: string): FileChange[] => writes.all({ root, path }),
    reverted: (root: string, { path, after }: FileChange): string | undefined =>
      reverted.get({ root, path, after })?.id,
    answers: (run: number): AnswerRecord[] =>
      answers.all(run).map((row) => ({
        caseId: row.case_id,
        number: row.number,
        fingerprint: row.fingerprint,
        sample: sampleOfRow(row),
      })),
    endpointFacts(key: string, since: Date): unknown {
      const row = endpointFacts.get(key, since.toISOString())
      return row === undefined ? undefined : JSON.parse(row.facts)
    },
    judgement: (key: string): JudgeFinding | undefined => judgement.get(key),
  }
}
