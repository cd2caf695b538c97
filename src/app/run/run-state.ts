import type { RejectedRepair } from '../../contracts/rejected-repair.js'
import type { FileChange } from '../../edit/apply-edits.js'
import type { EngineUse } from '../../engine/metered-engine.js'
import type { Estimate } from '../../llm/llm-interface.js'
import type { RepairTypes } from '../../repair/model/diagnosis.js'
import type { RepairResult } from '../../repair/model/repair-input.js'
import type { BaselineCase, KnownCase } from '../../run/baseline.js'
import type { CaseRecorder, EvaluationConditions } from '../../run/case-records.js'
import type { Evaluation, Evaluator } from '../../run/evaluate-case.js'
import type { LoadedSnapshot } from '../../snapshot/load.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { QuestionDraft } from '../../store/question-types.js'
import type { AttemptRecord, CaseRecord, RunMode, RunRecord } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'
import type { RoleExample } from '../../subagent/role-check.js'
import type { LlmComponents } from '../models/compose-llm.js'
import type { Project } from '../project/project.js'
import type { Deadline } from './deadline.js'
import type { RunListener } from './run-events.js'

// What goes from step to step of a run, and what the kind of its cases gives.

/** The options of one run. */
export interface ExecuteRequest {
  readonly domain: RunDomain
  readonly project: Project
  readonly mode: RunMode
  /** Ids the user named, which are never held out while proposing. */
  readonly namedCaseIds: readonly string[]
  /** Repairs that people rejected. */
  readonly rejected: readonly RejectedRepair[]
  /** Ids of cases that are followed although people wrote that the knowledge was changed on purpose. */
  readonly followBenchmark: readonly string[]
  /** The interrupted run to finish. */
  readonly resume: RunRecord | undefined
  /** The options that determine what is asked. */
  readonly options: Readonly<Record<string, unknown>>
  /** How often each case is asked, from 1. */
  readonly times: number
  readonly store: RunStore
  /** Whether a file with the user's uncommitted changes may be repaired. */
  readonly allowDirty: boolean
  /** Environment variables, for the API keys of models. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute folders that models' replies are recorded to, or read from. */
  readonly record: string | undefined
  readonly replay: string | undefined
  readonly signal: AbortSignal
  readonly listener: RunListener
  readonly now: () => Date
}

/** The models of one run, whose calls are stored with it. */
export interface LlmRun {
  readonly parts: LlmComponents
  /** Assigns further calls to this run. */
  begin(runId: string): void
  /**
   * Reports if the call budget cannot cover the unanswered questions, or covers no repair after them.
   *
   * @param repair minimal number of calls of one repair; undefined if none is made, or it is not known
   */
  noteCallBudget(asks: AskCount, answered: number, repair: number | undefined): void
  /**
   * Reports if a budget of tokens or money cannot cover the coming calls, as far as their prompts show.
   *
   * @param estimates called only if there is such a budget; undefined for a call that costs nothing
   */
  noteSizeBudget(estimates: () => Promise<readonly (Estimate | undefined)[]>): Promise<void>
  /**
   * Returns the call budget that would cover the remaining questions, in words; undefined if calls are not
   * the limit.
   */
  requiredCallBudget(asks: AskCount, answered: number): string | undefined
}

/** A number of cases, and how often each is asked. */
export interface AskCount {
  readonly cases: number
  readonly times: number
}

/** The state of a run before its agent and engine are opened. */
export interface OpenedRun {
  readonly request: ExecuteRequest
  readonly deadline: Deadline
  /** The initial knowledge of the run. */
  readonly snapshot: Snapshot
  /** Paths of knowledge files that could not be read. */
  readonly unread: readonly string[]
  /** Absent: no part of the run uses a model. */
  readonly llm: LlmRun | undefined
}

/** A run that is recorded in the run database: the input of each of its steps. */
export interface StartedRun<T extends RepairTypes = RepairTypes> extends OpenedRun {
  readonly run: RunRecord
  readonly parts: RunParts<T>
  /** How often each case is actually asked. */
  readonly times: number
  /** The reusable results of an interrupted run, by case. */
  readonly known: ReadonlyMap<string, KnownCase<T>>
  /** The number of known answers among those to ask for. */
  readonly answered: number
}

/** Every case as answered with the initial knowledge, as far as it was asked. */
export interface MeasuredBaseline<T extends RepairTypes = RepairTypes> {
  /** By id; passing ones only if a repair has to protect them. */
  readonly cases: ReadonlyMap<string, BaselineCase<T>>
  /** Rows of the cases that did not pass, by id. */
  readonly failedRows: ReadonlyMap<string, CaseRecord>
  /** Number of answered cases. */
  readonly finished: number
  /** Whether a budget was exhausted before every case was asked. */
  readonly isExhausted: boolean
  /** Whether asking stopped because the same error occurred too often in a row. */
  readonly isGivenUp: boolean
  /** Whether the run's time limit had passed at the end. */
  readonly isLate: boolean
}

/** What a run needs of the kind of its cases: text-to-SQL, or unit tests. */
export interface RunDomain {
  readonly project: Project
  /** What the definition of a model that repairs is given, and what it must allow as an answer. */
  readonly repairerExample: () => Promise<RoleExample>
  /** Reports what is wrong with the knowledge. Throws `AutotestError` for what makes a run useless. */
  checkKnowledge(loaded: LoadedSnapshot, note: (text: string) => void): Promise<void>
  /** Returns paths of knowledge files that cannot be used. */
  unusable(snapshot: Snapshot, unread: readonly string[]): readonly string[]
  open(options: OpenPartsOptions): Promise<RunParts>
}

export interface OpenPartsOptions {
  /** ISO date for cases and configurations that specify none. */
  readonly today: string
  readonly onProgress: (text: string) => void
  /** Absent: no part of the run uses a model. */
  readonly llm: LlmComponents | undefined
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** What owns processes and files during a run. */
export interface RunParts<T extends RepairTypes = RepairTypes> {
  readonly evaluator: Evaluator<T>
  readonly recorder: CaseRecorder<T>
  /** The conditions that an earlier answer depends on besides its case. */
  readonly conditions: EvaluationConditions
  /** Labels failures of the baseline that only several cases together show. */
  labelBaseline(started: StartedRun<T>, baseline: MeasuredBaseline<T>): Promise<MeasuredBaseline<T>>
  /** Repairs in memory; nothing is written to disk. */
  repair(
    started: StartedRun<T>,
    baseline: MeasuredBaseline<T>,
    failing: readonly Evaluation<T>[],
    recorded: RepairCallbacks,
  ): Promise<RepairResult>
  /** What engines were asked so far; absent where none is. */
  engineUses?(): readonly EngineUse[]
  close(): Promise<void>
}

/** Called with what a repair decides. */
export interface RepairCallbacks {
  readonly onAttempt: (attempt: AttemptRecord, changes: readonly FileChange[]) => void
  readonly onQuestion: (question: QuestionDraft) => void
}
