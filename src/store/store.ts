import { randomBytes } from 'node:crypto'
import type { EngineUse } from '../engine/metered-engine.js'
import { AutotestError } from '../errors.js'
import type { LlmCall } from '../llm/llm-interface.js'
import type { Database } from '../platform/sqlite.js'
import { createRedactor, type Redactor } from '../text/secrets.js'
import { type OpenedDatabase, openDatabase } from './database.js'
import { GateRows } from './gate-rows.js'
import { oldRuns, removeRun } from './prune-runs.js'
import type { QuestionDraft } from './question-types.js'
import type {
  AnswerRecord,
  AttemptRecord,
  CaseRecord,
  JudgementRecord,
  LlmCallRow,
  RunRecord,
} from './record-types.js'
import { redactAttempt, redactCase, redactRun, redactSample, redactTexts } from './redact-records.js'
import { RefusalRows } from './refusal-rows.js'
import type { RunLocks } from './run-locks.js'
import { RunReader } from './run-reader.js'
import { withStoreErrors } from './sqlite-errors.js'
import type { StoreOptions } from './store-options.js'
import { TaskRows } from './task-rows.js'
import { TestResultRows } from './test-result-rows.js'
import { WriteBatch } from './write-batch.js'
import { type FileChange, type NewRun, prepareWrites, type RunEnd, type Writes } from './write-statements.js'

/**
 * Opens the run database, creating or migrating it. Throws `store_unavailable` if it cannot be used; a
 * damaged file is renamed and reported in `notices` of the store.
 */
export async function openStore(path: string, options: StoreOptions): Promise<RunStore> {
  const opened = await openDatabase(path, options.readonly ?? false, options.now())
  return new RunStore(path, opened, options)
}

/** The open run database. The caller that opened it closes it; every method may throw `store_unavailable`. */
export class RunStore extends RunReader {
  /** Notes from opening the database for the user, one sentence each. */
  readonly notices: readonly string[]
  /** What agents of a role wrote where they may not. */
  readonly refusals: RefusalRows
  /** What people have to decide. */
  readonly gates: GateRows
  /** Tasks of autotest tdd. */
  readonly tasks: TaskRows
  /** What became of unit tests when they last ran. */
  readonly testResults: TestResultRows
  readonly #database: Database
  readonly #writes: Writes
  readonly #redact: Redactor
  readonly #random: (bytes: number) => Uint8Array
  readonly #locks: RunLocks
  readonly #batch: WriteBatch

  constructor(path: string, { database, isWal, locks, notices }: OpenedDatabase, options: StoreOptions) {
    super(path, database)
    this.notices = notices
    this.#database = database
    this.#locks = locks
    this.#batch = new WriteBatch(path, database, isWal)
    this.#writes = prepareWrites(database)
    this.#redact = createRedactor(options.env ?? process.env)
    this.#random = options.random ?? randomBytes
    const access = {
      write: <T>(work: () => T): T => this.#write(work),
      redact: this.#redact,
      random: this.#random,
    }
    this.refusals = new RefusalRows(database, access)
    this.gates = new GateRows(database, access)
    this.tasks = new TaskRows(database, access)
    this.testResults = new TestResultRows(database, access)
  }

  /** Does several writes, all or none. */
  together<T>(work: () => T): T {
    return this.#write(work)
  }

  /**
   * Creates and locks a run; returns its id: `r-` and four hexadecimal digits, more if those are used
   * already.
   */
  createRun(record: NewRun): string {
    const clean = redactRun(record, this.#redact)
    this.#locks.removeStaleLocks()
    return this.#write(() => {
      for (let bytes = 2; ; bytes++) {
        const id = `r-${Buffer.from(this.#random(bytes)).toString('hex')}`
        if (!this.#writes.run(id, clean)) continue
        // Before another process can see it.
        this.holdRun(id)
        return id
      }
    })
  }

  /**
   * Makes this process the only one that executes a run, until `close`. Throws `project_locked` if another
   * does.
   */
  holdRun(runId: string): void {
    this.#locks.hold(runId)
  }

  /** Reports whether some process executes the run. */
  isHeld(runId: string): boolean {
    return this.#locks.isHeld(runId)
  }

  /** Inserts cases, or replaces those of the same id. Written within 50 ms, or by `flush`. */
  recordCases(runId: string, records: readonly CaseRecord[]): void {
    const run = this.seqOf(runId)
    for (const record of records) {
      this.#batch.add(() => this.#writes.case(run, redactCase(record, this.#redact)))
    }
  }

  /**
   * Records one of several answers to a case; the row of the case follows after all of them. Written within
   * 50 ms, or by `flush`.
   */
  recordAnswer(runId: string, answer: AnswerRecord): void {
    const run = this.seqOf(runId)
    const clean = { ...answer, sample: redactSample(answer.sample, this.#redact) }
    this.#batch.add(() => this.#writes.answer(run, clean))
  }

  /** Records a plan and its outcome; `files` are the bytes that reverting needs, kept exactly. */
  recordAttempt(runId: string, attempt: AttemptRecord, files: readonly FileChange[]): void {
    const run = this.seqOf(runId)
    this.#write(() => this.#writes.attempt(run, redactAttempt(attempt, this.#redact), files))
  }

  /** Deletes the plans of a run: a resumed run makes them again, as none of them was written. */
  forgetAttempts(runId: string): void {
    const run = this.seqOf(runId)
    this.#write(() => this.#writes.forgetAttempts(run))
  }

  /** Records a question to people; it is open until it is answered or expires. */
  recordQuestion(runId: string, draft: QuestionDraft, askedAt: Date): void {
    const run = this.seqOf(runId)
    const clean = redactTexts(draft, this.#redact)
    this.#write(() => this.#writes.question(run, clean, askedAt))
  }

  updateAttempt(
    runId: string,
    attemptId: string,
    change: {
      readonly outcome?: AttemptRecord['outcome'] | undefined
      readonly commit?: string | undefined
    },
  ): void {
    const run = this.seqOf(runId)
    const known = this.#write(() => this.#writes.attemptState(run, attemptId, change.outcome, change.commit))
    if (!known) throw new AutotestError('run_unknown', `run ${runId} has no repair ${attemptId}`)
  }

  finishRun(runId: string, end: RunEnd): void {
    const run = this.seqOf(runId)
    const failure = end.failure === undefined ? undefined : this.#redact(end.failure)
    this.#write(() => this.#writes.end(run, { ...end, failure }))
  }

  /** Records the decision about the run's edits, and the exit code that follows from it. */
  setDecision(runId: string, decision: RunRecord['decision'], exitCode?: number): void {
    const run = this.seqOf(runId)
    this.#write(() => this.#writes.decision(run, decision, exitCode))
  }

  /**
   * Records that the plan of a dry run was written: its repairs are kept, and the cases pending on them are
   * repaired.
   */
  markPlanApplied(runId: string): void {
    const run = this.seqOf(runId)
    this.#write(() => this.#writes.applied(run))
  }

  /** Records that a person accepted a repair that was held or planned, and that it is in the files. */
  acceptRepair(runId: string, repairId: string, at: Date): void {
    const run = this.seqOf(runId)
    this.#write(() => this.#writes.acceptedRepair(run, repairId, at.toISOString()))
  }

  /** Records that a person refused a repair that was held: the knowledge is right. */
  refuseRepair(runId: string, repairId: string, at: Date): void {
    const run = this.seqOf(runId)
    this.#write(() => this.#writes.refusedRepair(run, repairId, at.toISOString()))
  }

  /** Adds the calls of models of another database's run, as `llmCallRows` returned them. */
  addLlmCallRows(runId: string, rows: readonly LlmCallRow[]): void {
    const run = this.seqOf(runId)
    this.#write(() => this.#writes.llmCallRows(run, rows))
  }

  /** Adds what engines were asked to what the run asked before, as one that is resumed has. */
  addEngineUses(runId: string, uses: readonly EngineUse[]): void {
    const run = this.seqOf(runId)
    this.#write(() => this.#writes.engineUses(run, uses))
  }

  /**
   * Records a call that is about to be sent, with its maximal usage, and returns the function that records
   * its end. Written within 50 ms, or by `flush`.
   */
  recordLlmCall(runId: string, call: LlmCall): (ended: LlmCall) => void {
    const run = this.seqOf(runId)
    let row: number | bigint | undefined
    this.#batch.add(() => {
      row = this.#writes.llmCall(run, call)
    })
    return (ended) =>
      this.#batch.add(() => {
        if (row !== undefined) this.#writes.llmCallEnd(row, ended)
      })
  }

  /**
   * Resolves once all records survive the end of this process: what was paid for is not asked again, whatever
   * kills it.
   */
  whenDurable(): Promise<void> {
    return this.#batch.whenDurable()
  }

  /** Records what was learned of a model behind an endpoint. Written within 50 ms, or by `flush`. */
  recordEndpointFacts(key: string, learnedAt: Date, facts: unknown): void {
    this.#batch.add(() => this.#writes.endpointFacts(key, learnedAt, facts))
  }

  /**
   * Records a judgement; an earlier one with the same key is replaced. Written within 50 ms, or by `flush`.
   */
  recordJudgement(runId: string, judgement: JudgementRecord): void {
    const run = this.seqOf(runId)
    const clean = { ...judgement, reason: this.#redact(judgement.reason) }
    this.#batch.add(() => this.#writes.judgement(run, clean))
  }

  /**
   * Writes everything before it returns: the process may be killed while records wait to share a transaction.
   */
  saveNow(): void {
    this.#batch.saveNow()
  }

  /** Writes pending records in one transaction. Those that could not be written stay pending. */
  override flush(): void {
    this.#batch.flush()
  }

  /**
   * Removes the runs of a project that began before a moment, with everything known of them, and returns their ids; with
   * `isDry` nothing is removed. Kept are runs in progress, and those that wait for a decision.
   */
  pruneRuns(root: string, before: Date, isDry: boolean): string[] {
    this.#locks.removeStaleLocks()
    const removed = this.#write(() => {
      const found = oldRuns(this.#database, root, before).filter(({ id }) => !this.isHeld(id))
      if (!isDry) for (const run of found) removeRun(this.#database, run)
      return found
    })
    if (!isDry && removed.length > 0) withStoreErrors(this.path, () => this.#database.exec('VACUUM'))
    return removed.map(({ id }) => id)
  }

  close(): void {
    try {
      this.flush()
    } finally {
      this.#database.close()
      this.#locks.close()
    }
  }

  #write<T>(work: () => T): T {
    this.flush()
    return withStoreErrors(this.path, () => this.#database.transaction(work).immediate())
  }
}
