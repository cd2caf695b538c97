import type { RefusedFile } from '../../roles/returned-files.js'
import type { PythonSession } from '../tests/python-sessions.js'
import type { Diagnosis } from './diagnosis.js'
import type { FailingTest, TaskState } from './task-state.js'

/** What an agent is given: the task so far, in a workspace where it may write what its role writes. */
export interface AgentTurn {
  readonly state: TaskState
  /** Opens the copy in which it works, when it is first needed. */
  readonly session: () => Promise<PythonSession>
  /** Python files of the project that are no tests, relative to its root. */
  readonly sources: readonly string[]
  /** What was wrong with the last try, for the agent; empty at first. */
  readonly complaints: readonly string[]
}

/** What became of a turn. */
export interface TurnResult {
  /** Texts of files by path, null for a deleted one; what the role may not write is refused by the caller. */
  readonly files: Readonly<Record<string, string | null>>
  /** What the agent was already refused while it worked. */
  readonly refused?: readonly RefusedFile[] | undefined
  /** In one sentence. */
  readonly summary: string
  /** Why nothing can come of this agent; absent: it may try again. */
  readonly gaveUp?: string | undefined
  /** Whether the tests are examples that people wrote: those that hold already stay, as long as another fails. */
  readonly areExamples?: boolean | undefined
  /** Modules that what is tested is, or will be, in, as far as the agent knows. */
  readonly modules?: readonly string[] | undefined
}

/** Who works on a task; each with a model or without. */
export interface TaskAgents {
  writeTests(turn: AgentTurn): Promise<TurnResult>
  /** Makes the tests pass. */
  writeCode(turn: AgentTurn): Promise<TurnResult>
  /** Cleans up while tests pass; undefined where nobody can. */
  readonly refactor: ((turn: AgentTurn) => Promise<TurnResult>) | undefined
  diagnose(
    turn: AgentTurn & { readonly failing: readonly FailingTest[]; readonly testFiles: readonly string[] },
  ): Promise<Diagnosis>
}
