import type { JudgeFinding } from '../compare/model/judge-finding.js'
import { AutotestError } from '../errors.js'
import type { Database } from '../platform/sqlite.js'
import {
  type CaseHistoryEntry,
  type EditedFile,
  prepareQueries,
  type Queries,
  type RunListing,
  type StoredCompletion,
} from './read-statements.js'
import type {
  AnswerRecord,
  CaseOutcome,
  CaseRecord,
  LlmCallRow,
  RunDetail,
  RunRecord,
} from './record-types.js'
import { resolveRunName } from './resolve-run.js'
import { withStoreErrors } from './sqlite-errors.js'
import type { FileChange } from './write-statements.js'

/** What is read from the run database; every method may throw `store_unavailable`. */
export abstract class RunReader {
  readonly path: string
  private readonly queries: Queries
  private readonly seqs = new Map<string, number>()

  constructor(path: string, database: Database) {
    this.path = path
    this.queries = prepareQueries(database)
  }

  /** Writes pending records first: what was recorded is read. */
  abstract flush(): void

  /** Returns what was learned of a model behind an endpoint since then; undefined if nothing was. */
  endpointFacts(key: string, since: Date): unknown {
    return this.read(() => this.queries.endpointFacts(key, since))
  }

  /** Returns a judgement of any run, with the run's id. */
  judgement(key: string): JudgeFinding | undefined {
    return this.read(() => this.queries.judgement(key))
  }

  /** Returns the model answers of a run, in the order asked, with the key of each request. */
  llmCompletions(runId: string): StoredCompletion[] {
    const run = this.seqOf(runId)
    return this.read(() => this.queries.llmCompletions(run))
  }

  /** Returns the calls of models of a run as they are stored. */
  llmCallRows(runId: string): LlmCallRow[] {
    const run = this.seqOf(runId)
    return this.read(() => this.queries.llmCallRows(run))
  }

  runDetail(runId: string): RunDetail | undefined {
    return this.read(() => this.queries.detail(runId))
  }

  /** Returns the history of a case in the latest runs, newest first. */
  caseHistory(caseId: string, { limit }: { readonly limit: number }): CaseHistoryEntry[] {
    return this.read(() => this.queries.chapters(caseId, limit))
  }

  /** Returns the ids of every case that a run recorded. */
  caseIds(): string[] {
    return this.read(() => this.queries.caseIds())
  }

  /** Returns the runs, newest first. */
  listRuns({ limit }: { readonly limit: number }): RunListing[] {
    return this.read(() => this.queries.list(limit))
  }

  latestRun(where: { readonly root?: string | undefined } = {}): RunRecord | undefined {
    return this.read(() => this.queries.latest(where.root))
  }

  /** Returns runs of a project without an end: they are in progress, or were killed. */
  unfinishedRuns(root: string): RunRecord[] {
    return this.read(() => this.queries.withoutEnd(root))
  }

  /** Returns cases that need not be asked again when the run is resumed. */
  finishedCases(runId: string): ReadonlyMap<string, CaseRecord> {
    const run = this.seqOf(runId)
    const cases = this.read(() => this.queries.cases(run))
    return new Map(
      cases.filter((record) => record.outcome !== 'skipped').map((record) => [record.caseId, record]),
    )
  }

  /**
   * Returns every answer to a case that was asked repeatedly, complete or not, and to failures asked again.
   */
  answersOf(runId: string): AnswerRecord[] {
    return this.read(() => this.queries.answers(this.seqOf(runId)))
  }

  /** Returns what an agent with tools did for a case, in its last answer; undefined if nothing is known. */
  traceOf(runId: string, caseId: string): unknown {
    return this.read(() => this.queries.trace(this.seqOf(runId), caseId))
  }

  /** Returns the ids of cases that ended with one of these outcomes, in benchmark order. */
  caseIdsWith(runId: string, outcomes: readonly CaseOutcome[]): string[] {
    return this.read(() => this.queries.idsWithOutcome(this.seqOf(runId), outcomes))
  }

  /**
   * Returns the id for `last`, `last~1`, `previous` or the beginning of an id (with or without `r-`); else throws
   * `run_unknown`.
   */
  resolveRun(name: string): string {
    return resolveRunName(name, this.path, {
      recent: (count) => this.listRuns({ limit: count }).map((run) => run.id),
      idsWith: (prefix) => this.read(() => this.queries.idsWith(prefix)),
    })
  }

  /**
   * Returns the bytes before and after, in the order written: of accepted plans, or of the one plan given.
   */
  editsOf(runId: string, attemptId?: string): EditedFile[] {
    return this.read(() => this.queries.files(this.seqOf(runId), attemptId))
  }

  /** Returns the versions of a file written by the runs of a project and not reverted, newest first. */
  writesTo(root: string, path: string): FileChange[] {
    return this.read(() => this.queries.writes(root, path))
  }

  /** Returns the last run with a reverted repair that resulted in these bytes. */
  revertedIn(root: string, change: FileChange): string | undefined {
    return this.read(() => this.queries.reverted(root, change))
  }

  /** Returns the row number of a run. Throws `run_unknown` if there is none. */
  protected seqOf(runId: string): number {
    const seq = this.seqs.get(runId) ?? this.read(() => this.queries.seqOf(runId))
    if (seq === undefined) throw new AutotestError('run_unknown', `no run "${runId}" in ${this.path}`)
    this.seqs.set(runId, seq)
    return seq
  }

  private read<T>(work: () => T): T {
    this.flush()
    return withStoreErrors(this.path, work)
  }
}
