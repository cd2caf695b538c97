import type { TaskAgents } from '../../domains/tdd/task-agents.js'
import type { PythonProject } from '../../domains/tests/python-sessions.js'
import type { Role } from '../../roles/role.js'
import type { RunStore } from '../../store/store.js'
import type { IssueDraft } from './file-issue.js'

/** What a task is worked on with. */
export interface TaskContext {
  readonly id: string
  readonly project: PythonProject
  readonly roles: Readonly<Record<'testWriter' | 'coder' | 'debugger', Role>>
  readonly agents: TaskAgents
  readonly store: RunStore
  readonly now: () => Date
  readonly signal: AbortSignal
  /** Files the issue of a test that is skipped, and returns what became of it; absent: only its text is written. */
  readonly fileIssue?: ((issue: IssueDraft) => Promise<string>) | undefined
  /** Called with what happens, a line each. */
  readonly onSay: (text: string) => void
}
