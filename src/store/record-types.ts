import type { JudgeFinding } from '../compare/model/judge-finding.js'
import type { ResultFinding } from '../compare/model/sql-score.js'
import type { EntriesRead } from '../contracts/agent-answer.js'
import type { Verdict } from '../contracts/score.js'
import type { EngineUse } from '../engine/metered-engine.js'
import type { Role } from '../enums/role.js'
import type { QuestionRecord } from './question-types.js'

export type RunMode = 'repair' | 'dry_run' | 'evaluate'

/** The decision about a run's edits: nothing to decide, pending, or decided. */
export type Decision = 'none' | 'pending' | 'kept' | 'committed' | 'reverted'

export interface RunRecord {
  /** `r-7f3a…`: short, unique in its database. */
  readonly id: string
  /** Project root, absolute; a database may contain the runs of several projects. */
  readonly root?: string | undefined
  /** ISO timestamps, UTC. */
  readonly startedAt: string
  readonly finishedAt: string | undefined
  readonly status: 'running' | 'finished' | 'interrupted' | 'failed'
  readonly mode: RunMode
  readonly engine: string
  readonly agent: string
  readonly dialect: string
  /** Snapshot hash at the start of the run, and at its end. */
  readonly knowledge: string
  readonly knowledgeAfter: string | undefined
  /** Number of selected cases. */
  readonly total: number
  /** The options that determine what is asked, so that `--resume` asks the same. */
  readonly options: Readonly<Record<string, unknown>>
  readonly decision: Decision
  readonly exitCode: number | undefined
  /** The reason of a run of status `failed`, in words. */
  readonly failure?: string | undefined
}

/** Outcome of a case at the end of a run; the counts of a summary count these. */
export type CaseOutcome = 'passed' | 'repaired' | 'failed' | 'unproven' | 'errored' | 'skipped' | 'pending'

/** The label from triage. */
export type TriageLabel =
  | 'wrong_definition'
  | 'missing_value'
  | 'missing_alias'
  | 'missing_definition'
  | 'retrieval_miss'
  | 'ignored_context'
  /** The agent answered in no form that can be read: no change of knowledge mends that. */
  | 'unreadable_answer'
  | 'broken_entry'
  | 'suspect_oracle'
  /** Others kept the engine busy: nothing is known of the answer. */
  | 'engine_busy'
  /** People wrote that the knowledge was changed on purpose, and the benchmark expects what it was before. */
  | 'conflicting_intent'
  /** The expected query names a column or table that the database no longer has. */
  | 'schema_changed'
  /** A tool of the agent says something else than what the host saw. */
  | 'tool_fault'
  | 'flaky'
  | 'unknown'

/** What several cases of a run fail from. */
export interface SharedCause {
  /** Equal for the cases of one cause. */
  readonly key: string
  /** What it is about: `metric dau`, `note sales.md, "Paid revenue"`. */
  readonly subject: string
}

export interface CaseRecord {
  /** Kind of the case: `sql`. */
  readonly kind: string
  readonly caseId: string
  /** Position in the benchmark, from 0. */
  readonly position: number
  readonly question: string
  readonly tags: readonly string[]
  readonly file: string
  readonly line: number
  /** Changes with question, expected query, engine and options of the case. */
  readonly fingerprint: string
  readonly outcome: CaseOutcome
  /** Final verdict: that of the last sample that counts. */
  readonly verdict: Verdict
  /** Verdict of the first sample, before any repair. */
  readonly baseline: Verdict
  readonly label: TriageLabel | undefined
  /** Why it needs review, in words. */
  readonly cause: string | undefined
  /** The cause it shares with others; absent where none was looked for. */
  readonly sharedCause?: SharedCause | undefined
  /** Number of plans for the case's cause for which the agent was called. */
  readonly retries: number
  readonly repairId: string | undefined
  readonly ms: number
  readonly sample: SampleRecord
  /** Verdicts in the order asked, for a case that was asked repeatedly with the initial knowledge. */
  readonly answers?: readonly Verdict[] | undefined
}

/** One of several answers to a case. */
export interface AnswerRecord {
  readonly caseId: string
  /** Its index, from 0. */
  readonly number: number
  /** Equal to that of the case's row. */
  readonly fingerprint: string
  readonly sample: SampleRecord
}

/** The stored result of comparing two queries by structure. */
export type StructureRecord =
  | { readonly kind: 'equal'; readonly assumptions?: readonly string[] }
  | {
      readonly kind: 'equal_if'
      readonly assumptions: readonly string[]
      readonly differences: readonly StructureDifference[]
    }
  | { readonly kind: 'different'; readonly differences: readonly StructureDifference[] }
  | { readonly kind: 'unparsable'; readonly side: 'expected' | 'generated'; readonly message: string }

export interface StructureDifference {
  readonly component: string
  readonly kind: 'missing' | 'extra' | 'changed'
  readonly text: string
  readonly expected?: string | undefined
  readonly generated?: string | undefined
}

export interface SampleRecord {
  readonly kind: 'answer' | 'no_answer' | 'unreadable' | 'error' | 'none'
  /** The query, or whatever else a case of its kind asks for. */
  readonly answer: string | undefined
  readonly message: string | undefined
  readonly read: EntriesRead
  readonly verdict: Verdict
  readonly reason: string
  /** How a query differs from the expected one; only for text-to-SQL. */
  readonly structure: StructureRecord | undefined
  /** The result of running both queries; only for text-to-SQL. */
  readonly results: ResultFinding | undefined
  /** Differences in words, for other kinds of cases. */
  readonly differences?: readonly string[] | undefined
  /** What was found, for other kinds of cases: their domain knows its form. */
  readonly findings?: unknown
  /** What an agent with tools did; written, and read only by `traceOf`, as it may be large. */
  readonly trace?: unknown
  readonly expected: string
  readonly ms: number
  /** Where the question stood beside a query in what the agent read: `kb/notes/sales.md:9`; absent: nowhere. */
  readonly ownExample?: string | undefined
}

export type Grade = 'E0' | 'E1' | 'E2'

/** The checks before an accept, as numbers of checks passed and made. */
export interface Evidence {
  readonly target: { readonly passed: number; readonly of: number }
  readonly twins: { readonly passed: number; readonly of: number }
  readonly heldOut: { readonly passed: number; readonly of: number }
  /** Cases that read an edited entry and still pass. */
  readonly affected: { readonly passed: number; readonly of: number }
  /** Whole benchmark: cases passing before and after. */
  readonly benchmark: { readonly before: number; readonly after: number; readonly of: number }
  readonly broken: readonly string[]
  /** Notes, titles and comments that contradict the edit, in words; absent if there are none. */
  readonly warnings?: readonly string[] | undefined
}

export interface EditRecord {
  readonly kind: string
  /** Path relative to the project root. */
  readonly file: string
  /** Unified diff. */
  readonly diff: string
  readonly added: number
  readonly removed: number
}

/** One plan and its outcome. */
export interface AttemptRecord {
  /** `p1`, `p2` … in the run. */
  readonly id: string
  readonly label: TriageLabel
  /** The subject of the plan: `metric dau`. */
  readonly subject: string
  /** One line: "dau lost its time-zone filter". */
  readonly title: string
  readonly reasoning: string
  readonly cases: readonly string[]
  readonly outcome: 'accepted' | 'rejected' | 'reverted'
  /** Why it was rejected. */
  readonly reason: string | undefined
  readonly grade: Grade | undefined
  readonly goldExposed: boolean
  readonly evidence: Evidence | undefined
  readonly edits: readonly EditRecord[]
  readonly retries: number
  readonly ms: number
  readonly llmCalls: number
  /** Hash of the commit that contains it, once there is one. */
  readonly commit: string | undefined
}

/** A judgement of two queries, reused by later runs. */
export interface JudgementRecord {
  /** Identifies queries, dialect, tables, the judge's definition and its model. */
  readonly key: string
  readonly model: string
  readonly answer: JudgeFinding['answer']
  readonly reason: string
}

/** A call of a model as it is stored, by the names of its columns' parameters. */
export type LlmCallRow = Readonly<Record<string, string | number>>

/** Model usage of a role in a run. */
export interface LlmUsage {
  readonly role: Role
  readonly model: string
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** The part of the input that endpoints had cached; absent if none said so. */
  readonly cachedTokens?: number
  /** In the currency of the price table; 0 for a model without a price. */
  readonly cost: number
}

/** A run with all data for reports. */
export interface RunDetail {
  readonly run: RunRecord
  /** In benchmark order. */
  readonly cases: readonly CaseRecord[]
  /** In the order tried. */
  readonly attempts: readonly AttemptRecord[]
  /** Repairs that people have to decide about; absent if there are none. */
  readonly questions?: readonly QuestionRecord[] | undefined
  /** By role and model, in that order; absent if no model was asked. */
  readonly llm?: readonly LlmUsage[] | undefined
  /** By address; absent if no engine was asked. */
  readonly engines?: readonly EngineUse[] | undefined
}
