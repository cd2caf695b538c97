import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { initialState, type TaskState } from '../../domains/tdd/task-state.js'
import { AutotestError } from '../../errors.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import { refusedWrite } from '../../roles/may-write.js'
import type { Role } from '../../roles/role.js'
import type { RunStore } from '../../store/store.js'
import { pathInProject } from '../project/find-project.js'
import { shadowedNames } from '../roles/shadowed-names.js'
import { readTask } from './read-task.js'

export interface OpenTaskRequest {
  /** As typed. */
  readonly file: string
  readonly cwd: string
  /** Of the project, absolute. */
  readonly root: string
  readonly testWriter: Role
  /** Interpreter as configured; undefined: it is searched for. */
  readonly python: string | undefined
  readonly store: RunStore
  /** Whether to begin anew although the task is unfinished. */
  readonly restart: boolean
  readonly now: () => Date
}

export interface OpenedTask {
  readonly id: string
  /** Whether it goes on from where it stood. */
  readonly resumed: boolean
}

/**
 * Returns the task of a file: the unfinished one where the file is what it was, or else a new one. Throws `task_invalid`.
 */
export async function openTask(request: OpenTaskRequest): Promise<OpenedTask> {
  const { cwd, root, testWriter, store, restart, now } = request
  const path = await pathInProject(request.file, cwd, root).catch(() => resolve(cwd, request.file))
  const bytes = await readRegularFile(resolve(root, path)).catch((cause: unknown) => {
    throw new AutotestError('task_invalid', `${request.file}: there is no such file`, {
      hint: 'Name a YAML or Markdown file with task, design, acceptance criteria, interfaces and target test path.',
      cause,
    })
  })
  const task = readTask(bytes, path)
  const refused = await refusedWrite(testWriter, {
    ...{ root, path: task.testPath },
    findShadowed: shadowedNames({ python: request.python, env: process.env }),
  })
  if (refused !== undefined)
    throw new AutotestError('task_invalid', `${path}: target_test_path: ${refused}`, {
      hint: `Name a path that ${testWriter.name} may write, or change what it writes in agents/${testWriter.name}.yaml.`,
    })
  const hash = createHash('sha256').update(bytes).digest('hex')
  const unfinished = store.tasks
    .ofProject(root)
    .filter((each) => each.file === path && (each.status === 'running' || each.status === 'waiting'))
  const [same] = restart ? [] : unfinished.filter((each) => each.hash === hash)
  // Another text is another task, and what was begun for the old one is of no use to it.
  for (const each of unfinished)
    if (each !== same)
      store.tasks.save(each.id, { status: 'aborted', state: each.state as TaskState }, [], now())
  if (same !== undefined) return { id: same.id, resumed: true }
  return {
    id: store.tasks.create({ root, file: path, hash, state: initialState(task) }, now()),
    resumed: false,
  }
}
