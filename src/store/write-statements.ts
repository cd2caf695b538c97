import type { EngineUse } from '../engine/metered-engine.js'
import type { LlmCall } from '../llm/llm-interface.js'
import type { Database } from '../platform/sqlite.js'
import { encodeJson } from './encode-json.js'
import { mergeQuestions } from './merge-questions.js'
import type { QuestionDraft } from './question-types.js'
import type {
  AnswerRecord,
  AttemptRecord,
  CaseRecord,
  JudgementRecord,
  LlmCallRow,
  RunRecord,
} from './record-types.js'
import {
  type CaseColumns,
  type QuestionRow,
  questionOfRow,
  rowOfAttempt,
  rowOfCase,
  rowOfSample,
  type SampleRow,
} from './row-mapping.js'

/** Why a case was asked: first, or to verify a plan. */
export type SamplePhase = 'baseline' | 'verify'

/** One file of a repair, byte by byte; null if it does not exist before or after. */
export interface FileChange {
  /** POSIX path relative to the project root. */
  readonly path: string
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

/** The fields of a run that are known at its start; `finishRun` adds the rest. */
export type NewRun = Omit<
  RunRecord,
  'id' | 'finishedAt' | 'status' | 'knowledgeAfter' | 'decision' | 'exitCode' | 'failure'
>

/** The end of a run; fields that are not decided yet are left out and keep their value. */
export interface RunEnd extends Pick<RunRecord, 'status' | 'finishedAt' | 'knowledgeAfter' | 'failure'> {
  readonly decision?: RunRecord['decision'] | undefined
  readonly exitCode?: number | undefined
}

/** A question that nobody answered in a month is asked anew by later runs. */
const questionLifetimeMs = 30 * 24 * 60 * 60 * 1000

/** The writing part of the store: statements only; transactions and redaction are done by the store. */
export type Writes = ReturnType<typeof prepareWrites>

export function prepareWrites(database: Database) {
  const insertRun = database.prepare(
    `INSERT INTO runs (id, root, started_at, status, mode, engine, agent, dialect, knowledge, total, options, decision)
     VALUES (@id, @root, @startedAt, 'running', @mode, @engine, @agent, @dialect, @knowledge, @total, @options, 'none')
     ON CONFLICT (id) DO NOTHING`,
  )
  const updateRun = database.prepare(
    `UPDATE runs SET status = @status, finished_at = @finishedAt, knowledge_after = @knowledgeAfter,
     decision = coalesce(@decision, decision), exit_code = coalesce(@exitCode, exit_code), failure = @failure WHERE seq = @run`,
  )
  const updateDecision = database.prepare(
    'UPDATE runs SET decision = @decision, exit_code = coalesce(@exitCode, exit_code) WHERE seq = @run',
  )
  const repairPending = database.prepare(
    `UPDATE cases SET outcome = 'repaired', verdict = 'pass' WHERE run = ? AND outcome = 'pending'`,
  )
  const insertSample = database.prepare(
    `INSERT INTO samples (run, case_id, phase, kind, unreadable, sql, message, entries_read, expected_sql, ms, trace, own_example)
     VALUES (@run, @caseId, @phase, @kind, @unreadable, @sql, @message, @entries_read, @expected_sql, @ms, @trace, @own_example)`,
  )
  const insertScore = database.prepare(
    `INSERT INTO scores (sample, verdict, reason, structure, results, differences, findings)
     VALUES (@sample, @verdict, @reason, @structure, @results, @differences, @findings)`,
  )
  const currentSample = database.prepare<[number, string], SampleRow & { sample: number }>(
    `SELECT s.id AS sample, s.kind, unreadable, sql, message, entries_read, expected_sql, s.ms, sc.verdict, reason, structure, results, differences, findings, own_example
     FROM cases c JOIN samples s ON s.id = c.sample JOIN scores sc ON sc.sample = s.id
     WHERE c.run = ? AND c.case_id = ?`,
  )
  const answers = database.prepare<[number, string], SampleRow & { sample: number }>(
    `SELECT s.id AS sample, s.kind, unreadable, sql, message, entries_read, expected_sql, s.ms, sc.verdict, reason, structure, results, differences, findings, own_example
     FROM answers a JOIN samples s ON s.id = a.sample JOIN scores sc ON sc.sample = s.id
     WHERE a.run = ? AND a.case_id = ?`,
  )
  const replaceAnswer = database.prepare(
    'INSERT OR REPLACE INTO answers (run, case_id, number, fingerprint, sample) VALUES (?, ?, ?, ?, ?)',
  )
  const replaceCase = database.prepare<[CaseColumns & { run: number; sample: number | bigint }]>(
    `INSERT OR REPLACE INTO cases (run, case_id, position, question, tags, file, line, fingerprint, outcome, verdict,
       baseline, label, cause, cause_key, subject, retries, repair_id, ms, sample, kind)
     VALUES (@run, @case_id, @position, @question, @tags, @file, @line, @fingerprint, @outcome, @verdict,
       @baseline, @label, @cause, @cause_key, @subject, @retries, @repair_id, @ms, @sample, @kind)`,
  )
  const insertAttempt = database.prepare(
    `INSERT INTO attempts (run, id, label, subject, title, reasoning, cases, outcome, reason, grade, gold_exposed,
       evidence, retries, ms, llm_calls, commit_id)
     VALUES (@run, @id, @label, @subject, @title, @reasoning, @cases, @outcome, @reason, @grade, @gold_exposed,
       @evidence, @retries, @ms, @llm_calls, @commit_id)`,
  )
  const insertEdit = database.prepare(
    `INSERT INTO edits (attempt, position, kind, file, diff, added, removed)
     VALUES (@attempt, @position, @kind, @file, @diff, @added, @removed)`,
  )
  const insertFile = database.prepare(
    'INSERT INTO edited_files (attempt, path, before, after) VALUES (@attempt, @path, @before, @after)',
  )
  const updateAttempt = database.prepare(
    `UPDATE attempts SET outcome = coalesce(@outcome, outcome), commit_id = coalesce(@commit, commit_id)
     WHERE run = @run AND id = @id`,
  )
  const answerQuestion = database.prepare(
    `UPDATE questions SET answer = @answer, answered_at = @at WHERE run = @run AND repair = @id`,
  )
  const repairHeld = database.prepare(
    `UPDATE cases SET outcome = 'repaired', verdict = 'pass', repair_id = @id WHERE run = @run AND outcome IN ('failed', 'pending')
     AND case_id IN (SELECT value FROM attempts, json_each(attempts.cases) WHERE attempts.run = @run AND attempts.id = @id)`,
  )
  const insertLlmCall = database.prepare(
    `INSERT INTO llm_calls (run, role, case_id, model, key, sample, attempt, input_tokens, output_tokens, cost, ms,
       completion)
     VALUES (@run, @role, @caseId, @model, @key, @sample, @attempt, @inputTokens, @outputTokens, @cost, @ms,
       @completion)`,
  )
  const addEngineUse = database.prepare(
    `INSERT INTO engine_uses (run, url, queries, ms, scanned_bytes) VALUES (@run, @url, @queries, @ms, @scannedBytes)
     ON CONFLICT (run, url) DO UPDATE SET queries = queries + excluded.queries, ms = ms + excluded.ms,
       scanned_bytes = CASE WHEN scanned_bytes IS NULL THEN excluded.scanned_bytes ELSE scanned_bytes + coalesce(excluded.scanned_bytes, 0) END`,
  )
  const updateLlmCall = database.prepare(
    `UPDATE llm_calls SET input_tokens = @inputTokens, output_tokens = @outputTokens, cost = @cost, ms = @ms,
       completion = @completion WHERE seq = @row`,
  )
  const insertQuestion = database.prepare(
    `INSERT INTO questions (run, id, kind, subject, question, change, statements, cases, options, repair, asked_at, expires_at)
     VALUES (@run, 'q' || (1 + (SELECT count(*) FROM questions WHERE run = @run)), @kind, @subject, @question, @change,
       @statements, @cases, @options, @repair, @askedAt, @expiresAt)`,
  )
  const questionAbout = database.prepare<[number, string, string], QuestionRow>(
    'SELECT * FROM questions WHERE run = ? AND kind = ? AND subject = ?',
  )
  const updateQuestion = database.prepare(
    `UPDATE questions SET question = @question, change = @change, statements = @statements, cases = @cases,
     options = @options, repair = @repair WHERE run = @run AND id = @id`,
  )
  const deleteQuestions = database.prepare('DELETE FROM questions WHERE run = ?')
  const ofRun = 'WHERE attempt IN (SELECT seq FROM attempts WHERE run = ?)'
  const deleteAttempts = [
    `DELETE FROM edits ${ofRun}`,
    `DELETE FROM edited_files ${ofRun}`,
    'DELETE FROM attempts WHERE run = ?',
  ].map((sql) => database.prepare(sql))
  const replaceJudgement = database.prepare(
    'INSERT OR REPLACE INTO judgements (run, key, model, answer, reason) VALUES (@run, @key, @model, @answer, @reason)',
  )

  const replaceEndpointFacts = database.prepare(
    'INSERT OR REPLACE INTO endpoint_facts (key, learned_at, facts) VALUES (?, ?, ?)',
  )

  const addSample = (
    run: number,
    caseId: string,
    phase: SamplePhase,
    row: ReturnType<typeof rowOfSample>,
  ): number | bigint => {
    const { lastInsertRowid } = insertSample.run({ ...row, run, caseId, phase })
    insertScore.run({ ...row, sample: lastInsertRowid })
    return lastInsertRowid
  }

  return {
    /** Returns false if the id is used already. */
    run: (id: string, record: NewRun): boolean =>
      insertRun.run({ ...record, id, root: record.root ?? null, options: encodeJson(record.options) })
        .changes === 1,
    end: (run: number, { status, finishedAt, knowledgeAfter, decision, exitCode, failure }: RunEnd): void => {
      updateRun.run({
        run,
        status,
        finishedAt: finishedAt ?? null,
        knowledgeAfter: knowledgeAfter ?? null,
        decision: decision ?? null,
        exitCode: exitCode ?? null,
        failure: failure ?? null,
      })
    },
    decision: (run: number, decision: RunRecord['decision'], exitCode: number | undefined): void => {
      updateDecision.run({ run, decision, exitCode: exitCode ?? null })
    },
    applied: (run: number): void => {
      updateDecision.run({ run, decision: 'kept', exitCode: null })
      repairPending.run(run)
    },
    /** A person accepted one repair that was held, or planned. */
    acceptedRepair: (run: number, id: string, at: string): void => {
      updateAttempt.run({ run, id, outcome: 'accepted', commit: null })
      answerQuestion.run({ run, id, at, answer: 'accept' })
      repairHeld.run({ run, id })
    },
    refusedRepair: (run: number, id: string, at: string): void => {
      answerQuestion.run({ run, id, at, answer: 'follow_knowledge' })
    },
    /** Inserts or replaces a case; a sample that did not change is not stored again. */
    case: (run: number, record: CaseRecord): void => {
      const row = rowOfSample(record.sample)
      const current = currentSample.get(run, record.caseId)
      const stored = [...(current === undefined ? [] : [current]), ...answers.all(run, record.caseId)]
      const phase = current === undefined ? 'baseline' : 'verify'
      const sample =
        stored.find((other) => sameSample(other, row))?.sample ?? addSample(run, record.caseId, phase, row)
      replaceCase.run({ ...rowOfCase(record), run, sample })
    },
    /** Inserts or replaces the answer with its number. */
    answer: (run: number, { caseId, number, fingerprint, sample }: AnswerRecord): void => {
      const added = addSample(run, caseId, 'baseline', rowOfSample(sample))
      replaceAnswer.run(run, caseId, number, fingerprint, added)
    },
    attempt: (run: number, attempt: AttemptRecord, files: readonly FileChange[]): void => {
      const { lastInsertRowid } = insertAttempt.run({ ...rowOfAttempt(attempt), run })
      attempt.edits.forEach((edit, position) => {
        insertEdit.run({ ...edit, attempt: lastInsertRowid, position })
      })
      for (const { path, before, after } of files) {
        insertFile.run({ attempt: lastInsertRowid, path, before, after })
      }
    },
    forgetAttempts: (run: number): void => {
      for (const statement of deleteAttempts) statement.run(run)
      deleteQuestions.run(run)
    },
    /** Inserts a question, or adds its cases to the one that the run has about the same subject. */
    question: (run: number, draft: QuestionDraft, askedAt: Date): void => {
      const known = questionAbout.get(run, draft.kind, draft.subject)
      const asked = known === undefined ? draft : mergeQuestions(questionOfRow(known), draft)
      const { kind, subject, question, change, statements, cases, options, repair } = asked
      const columns = {
        run,
        question,
        change: change === undefined ? null : JSON.stringify(change),
        statements: JSON.stringify(statements),
        cases: JSON.stringify(cases),
        options: JSON.stringify(options),
        repair: repair ?? null,
      }
      if (known !== undefined) {
        updateQuestion.run({ ...columns, id: known.id })
        return
      }
      insertQuestion.run({
        ...columns,
        kind,
        subject,
        askedAt: askedAt.toISOString(),
        expiresAt: new Date(askedAt.getTime() + questionLifetimeMs).toISOString(),
      })
    },
    /** Returns false if the run has no such attempt. */
    attemptState: (
      run: number,
      id: string,
      outcome: AttemptRecord['outcome'] | undefined,
      commit: string | undefined,
    ): boolean =>
      updateAttempt.run({ run, id, outcome: outcome ?? null, commit: commit ?? null }).changes === 1,
    /** @returns the row, for its end */
    llmCallRows: (run: number, rows: readonly LlmCallRow[]): void => {
      for (const row of rows) insertLlmCall.run({ ...row, run })
    },
    llmCall: (run: number, { usage, completion, ...call }: LlmCall): number | bigint =>
      insertLlmCall.run({ ...call, ...usage, run, completion: JSON.stringify(completion) }).lastInsertRowid,
    llmCallEnd: (row: number | bigint, { usage, completion, cost, ms }: LlmCall): void => {
      updateLlmCall.run({ ...usage, cost, ms, row, completion: JSON.stringify(completion) })
    },
    engineUses: (run: number, uses: readonly EngineUse[]): void => {
      for (const { scannedBytes = null, ...use } of uses) addEngineUse.run({ ...use, scannedBytes, run })
    },
    endpointFacts: (key: string, learnedAt: Date, facts: unknown): void => {
      replaceEndpointFacts.run(key, learnedAt.toISOString(), encodeJson(facts))
    },
    judgement: (run: number, { key, model, answer, reason }: JudgementRecord): void => {
      replaceJudgement.run({ run, key, model, answer, reason })
    },
  }
}

const comparedColumns = [
  ...(['kind', 'unreadable', 'sql', 'message', 'entries_read', 'expected_sql'] as const),
  ...(['ms', 'verdict', 'reason', 'structure', 'results'] as const),
]

function sameSample(a: SampleRow, b: SampleRow): boolean {
  return comparedColumns.every((column) => a[column] === b[column])
}
