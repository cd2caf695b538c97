import type { createProjectService } from '../serve/project-service.js'
import type { createWorkQueue } from '../serve/work-queue.js'

/** What the tools work on. */
export interface ToolContext {
  /** Of the project, absolute. */
  readonly root: string
  readonly now: () => Date
  readonly project: ReturnType<typeof createProjectService>
  readonly queue: ReturnType<typeof createWorkQueue>
}
