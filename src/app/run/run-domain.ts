import type { FileChange } from '../../edit/apply-edits.js'
import type { RepairTypes } from '../../repair/model/diagnosis.js'
import type { RepairResult } from '../../repair/model/repair-input.js'
import type { CaseRecorder, EvaluationConditions } from '../../run/case-records.js'
import type { Evaluation, Evaluator } from '../../run/evaluate-case.js'
import type { LoadedSnapshot } from '../../snapshot/load.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { AttemptRecord, QuestionDraft } from '../../store/record-types.js'
import type { LlmComponents } from '../models/compose-llm.js'
import type { Project } from '../project/project.js'
import type { MeasuredBaseline } from './baseline-step.js'
import type { StartedRun } from './start-run.js'

/** What a run needs of the kind of its cases: text-to-SQL, or unit tests. */
export interface RunDomain {
  readonly project: Project
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
  close(): Promise<void>
}

/** Called with what a repair decides. */
export interface RepairCallbacks {
  readonly onAttempt: (attempt: AttemptRecord, changes: readonly FileChange[]) => void
  readonly onQuestion: (question: QuestionDraft) => void
}
