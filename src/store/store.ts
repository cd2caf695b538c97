import { randomBytes } from 'node:crypto'
import type { JudgeFinding } from '../compare/model/judge-finding.js'
import { AutotestError } from '../errors.js'
import type { LlmCall } from '../llm/llm.js'
import type { Database } from '../platform/sqlite.js'
import { createRedactor, type Redactor } from '../text/secrets.js'
import { type OpenedDatabase, openDatabase } from './database.js'
import type { StoreOptions } from './options.js'
import {
  type CaseHistoryEntry,
  type EditedFile,
  prepareQueries,
  type Queries,
  type RunListing,
  type StoredCompletion,
} from './queries.js'
import type {
  AnswerRecord,
  AttemptRecord,
  CaseRecord,
  JudgementRecord,
  RunDetail,
  RunRecord,
} from './records.js'
import { redactAttempt, redactCase, redactRun, redactSample } from './redact-records.js'
import { resolveRunName } from './resolve-run.js'
import type { RunLocks } from './run-locks.js'
import { withStoreErrors } from './sqlite-errors.js'
import { WriteBatch } from './write-batch.js'
import { type FileChange, type NewRun, prepareWrites, type RunEnd, type Writes } from './writes.js'

/**
 * Opens the run database, creating or migrating it. Throws `store_unavailable` where it cannot be used; a damaged
 * file is set aside and `notices` of the store says so.
 */
export async function openStore(path: string, options: StoreOptions): Promise<RunStore> {
  const opened = await openDatabase(path, options.readonly ?? false, options.now())
  return new RunStore(path, opened, options)
}

/** The run database, open. Whoever opened it closes it; every method may throw `store_unavailable`. */
export class RunStore {
  readonly path: string
  /** Notes from opening the database for the user, one sentence each. */
  readonly notices: readonly string[]
  readonly #database: Database
  readonly #queries: Queries
  readonly #writes: Writes
  readonly #redact: Redactor
  readonly #random: (bytes: number) => Uint8Array
  readonly #seqs = new Map<string, number>()
  readonly #locks: RunLocks
  readonly #batch: WriteBatch

  constructor(path: string, { database, isWal, locks, notices }: OpenedDatabase, options: StoreOptions) {
    this.path = path
    this.notices = notices
    this.#database = database
    this.#locks = locks
    this.#batch = new WriteBatch(path, database, isWal)
    this.#queries = prepareQueries(database)
    this.#writes = prepareWrites(database)
    this.#redact = createRedactor(options.env ?? process.env)
    this.#random = options.random ?? randomBytes
  }

  /** The id of the new run, which is held: `r-` and four hexadecimal digits, more where those are taken. */
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

  /** Makes this process the only one that goes on with a run, until `close`. Throws `project_locked` where another does. */
  holdRun(runId: string): void {
    this.#locks.hold(runId)
  }

  /** Whether some process goes on with the run. */
  isHeld(runId: string): boolean {
    return this.#locks.isHeld(runId)
  }

  /** Inserts cases, or replaces those of the same id. Written within 50 ms, or by `flush`. */
  recordCases(runId: string, records: readonly CaseRecord[]): void {
    const run = this.#seq(runId)
    for (const record of records) {
      this.#batch.add(() => this.#writes.case(run, redactCase(record, this.#redact)))
    }
  }

  /** One of several answers to a case; the row of the case comes once all are there. Written within 50 ms, or by `flush`. */
  recordAnswer(runId: string, answer: AnswerRecord): void {
    const run = this.#seq(runId)
    const clean = { ...answer, sample: redactSample(answer.sample, this.#redact) }
    this.#batch.add(() => this.#writes.answer(run, clean))
  }

  /** A plan and what became of it; `files` are the bytes that reverting needs, kept exactly. */
  recordAttempt(runId: string, attempt: AttemptRecord, files: readonly FileChange[]): void {
    const run = this.#seq(runId)
    this.#write(() => this.#writes.attempt(run, redactAttempt(attempt, this.#redact), files))
  }

  /** A run that goes on makes its plans again: none of them was written. */
  forgetAttempts(runId: string): void {
    const run = this.#seq(runId)
    this.#write(() => this.#writes.forgetAttempts(run))
  }

  updateAttempt(
    runId: string,
    attemptId: string,
    change: {
      readonly outcome?: AttemptRecord['outcome'] | undefined
      readonly commit?: string | undefined
    },
  ): void {
    const run = this.#seq(runId)
    const known = this.#write(() => this.#writes.attemptState(run, attemptId, change.outcome, change.commit))
    if (!known) throw new AutotestError('run_unknown', `run ${runId} has no repair ${attemptId}`)
  }

  finishRun(runId: string, end: RunEnd): void {
    const run = this.#seq(runId)
    const failure = end.failure === undefined ? undefined : this.#redact(end.failure)
    this.#write(() => this.#writes.end(run, { ...end, failure }))
  }

  /** Records the decision about the run's edits, and the exit code that follows from it. */
  setDecision(runId: string, decision: RunRecord['decision'], exitCode?: number): void {
    const run = this.#seq(runId)
    this.#write(() => this.#writes.decision(run, decision, exitCode))
  }

  /** The plan of a dry run was written: its repairs are kept, and the cases that waited for them are repaired. */
  markPlanApplied(runId: string): void {
    const run = this.#seq(runId)
    this.#write(() => this.#writes.applied(run))
  }

  /**
   * A call that is about to be sent, as one that takes all it could: its end replaces it, if it has one. Written within
   * 50 ms, or by `flush`.
   */
  recordLlmCall(runId: string, call: LlmCall): (ended: LlmCall) => void {
    const run = this.#seq(runId)
    let row: number | bigint | undefined
    this.#batch.add(() => {
      row = this.#writes.llmCall(run, call)
    })
    return (ended) =>
      this.#batch.add(() => {
        if (row !== undefined) this.#writes.llmCallEnd(row, ended)
      })
  }

  /** Resolves once all that was recorded survives this process: what was paid for is not asked again, whatever kills it. */
  whenDurable(): Promise<void> {
    return this.#batch.whenDurable()
  }

  /** Written within 50 ms, or by `flush`; an earlier one of the same key is replaced. */
  recordJudgement(runId: string, judgement: JudgementRecord): void {
    const run = this.#seq(runId)
    const clean = { ...judgement, reason: this.#redact(judgement.reason) }
    this.#batch.add(() => this.#writes.judgement(run, clean))
  }

  /** Returns a judgement of any run, with the run's id. */
  judgement(key: string): JudgeFinding | undefined {
    return this.#read(() => this.#queries.judgement(key))
  }

  /** Returns the model answers of a run, in the order asked, with the key of each request. */
  llmCompletions(runId: string): StoredCompletion[] {
    const run = this.#seq(runId)
    return this.#read(() => this.#queries.llmCompletions(run))
  }

  runDetail(runId: string): RunDetail | undefined {
    return this.#read(() => this.#queries.detail(runId))
  }

  /** Returns the history of a case in the latest runs, newest first. */
  caseHistory(caseId: string, { limit }: { readonly limit: number }): CaseHistoryEntry[] {
    return this.#read(() => this.#queries.chapters(caseId, limit))
  }

  /** Ids of every case that a run recorded. */
  caseIds(): string[] {
    return this.#read(() => this.#queries.caseIds())
  }

  /** Newest first. */
  listRuns({ limit }: { readonly limit: number }): RunListing[] {
    return this.#read(() => this.#queries.list(limit))
  }

  latestRun(where: { readonly root?: string | undefined } = {}): RunRecord | undefined {
    return this.#read(() => this.#queries.latest(where.root))
  }

  /** Runs of a project that have no end: they go on, or were killed. */
  unfinishedRuns(root: string): RunRecord[] {
    return this.#read(() => this.#queries.withoutEnd(root))
  }

  /** Cases that need not be asked again when the run is resumed. */
  finishedCases(runId: string): ReadonlyMap<string, CaseRecord> {
    const run = this.#seq(runId)
    const cases = this.#read(() => this.#queries.cases(run))
    return new Map(
      cases.filter((record) => record.outcome !== 'skipped').map((record) => [record.caseId, record]),
    )
  }

  /** Every answer to a case that was asked repeatedly, whether or not all of its answers came; and to failures asked again. */
  answersOf(runId: string): AnswerRecord[] {
    return this.#read(() => this.#queries.answers(this.#seq(runId)))
  }

  /** Cases that were not green at the end, in benchmark order. */
  failedCaseIds(runId: string): string[] {
    return this.#read(() => this.#queries.failedIds(this.#seq(runId)))
  }

  /** The id that `last` or the start of an id (with or without `r-`) stands for; else throws `run_unknown`. */
  resolveRun(name: string): string {
    return resolveRunName(name, this.path, {
      latest: () => this.latestRun()?.id,
      recent: () => this.listRuns({ limit: 3 }).map((run) => run.id),
      idsWith: (prefix) => this.#read(() => this.#queries.idsWith(prefix)),
    })
  }

  /** Bytes before and after, in the order written: of accepted plans, or of the one plan named. */
  editsOf(runId: string, attemptId?: string): EditedFile[] {
    return this.#read(() => this.#queries.files(this.#seq(runId), attemptId))
  }

  /** Returns the versions of a file written by the runs of a project and not reverted, newest first. */
  writesTo(root: string, path: string): FileChange[] {
    return this.#read(() => this.#queries.writes(root, path))
  }

  /** The last run whose repair left these bytes and was reverted. */
  revertedIn(root: string, change: FileChange): string | undefined {
    return this.#read(() => this.#queries.reverted(root, change))
  }

  /** As `saved`, before this returns: a process may be killed while it waits for others to share a transaction with. */
  saveNow(): void {
    this.#batch.saveNow()
  }

  /** Writes what waits, in one transaction. What could not be written waits on. */
  flush(): void {
    this.#batch.flush()
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

  #read<T>(work: () => T): T {
    this.flush()
    return withStoreErrors(this.path, work)
  }

  #seq(runId: string): number {
    const seq = this.#seqs.get(runId) ?? this.#read(() => this.#queries.seqOf(runId))
    if (seq === undefined) throw new AutotestError('run_unknown', `no run "${runId}" in ${this.path}`)
    this.#seqs.set(runId, seq)
    return seq
  }
}
