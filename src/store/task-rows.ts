import type { Database, Statement } from '../platform/sqlite.js'
import { decodeJson, encodeJson } from './encode-json.js'
import { insertWithId, type TableAccess } from './table-access.js'

export type TaskStatus = 'running' | 'waiting' | 'done' | 'failed' | 'aborted'

export interface NewTask {
  /** Of the project, absolute. */
  readonly root: string
  /** The file of the task, relative to the root. */
  readonly file: string
  /** Of its content. */
  readonly hash: string
  /** Where the work is: its domain knows the form. */
  readonly state: unknown
}

export interface TaskRecord extends NewTask {
  readonly id: string
  /** ISO timestamps, UTC. */
  readonly startedAt: string
  readonly finishedAt: string | undefined
  readonly status: TaskStatus
}

/** Something that was said or done in a task. */
export interface TaskMessage {
  readonly kind: string
  readonly data: unknown
}

interface TaskRow {
  readonly seq: number
  readonly id: string
  readonly root: string
  readonly file: string
  readonly hash: string
  readonly started_at: string
  readonly finished_at: string | null
  readonly status: TaskStatus
  readonly state: string
}

interface MessageRow {
  readonly at: string
  readonly kind: string
  readonly data: string
}

/** The tasks of a run database. A step of a task and what it says are written in one transaction. */
export class TaskRows {
  readonly #access: TableAccess
  readonly #insert: Statement<unknown[]>
  readonly #select: Statement<unknown[], TaskRow>
  readonly #ofProject: Statement<unknown[], TaskRow>
  readonly #update: Statement<unknown[]>
  readonly #message: Statement<unknown[]>
  readonly #messages: Statement<unknown[], MessageRow>

  constructor(database: Database, access: TableAccess) {
    this.#access = access
    this.#insert = database.prepare(
      `INSERT INTO tasks (id, root, file, hash, started_at, status, state)
       VALUES (?, ?, ?, ?, ?, 'running', ?) ON CONFLICT (id) DO NOTHING`,
    )
    this.#select = database.prepare('SELECT * FROM tasks WHERE id = ?')
    this.#ofProject = database.prepare('SELECT * FROM tasks WHERE root = ? ORDER BY seq DESC')
    this.#update = database.prepare('UPDATE tasks SET status = ?, state = ?, finished_at = ? WHERE id = ?')
    this.#message = database.prepare(
      `INSERT INTO task_messages (task, number, at, kind, data)
       SELECT seq, (SELECT count(*) FROM task_messages WHERE task = seq), ?, ?, ? FROM tasks WHERE id = ?`,
    )
    this.#messages = database.prepare(
      'SELECT at, kind, data FROM task_messages JOIN tasks ON seq = task WHERE id = ? ORDER BY number',
    )
  }

  create({ root, file, hash, state }: NewTask, now: Date): string {
    const { write, random } = this.#access
    return write(() =>
      insertWithId(
        't',
        random,
        (id) => this.#insert.run(id, root, file, hash, now.toISOString(), encodeJson(state)).changes > 0,
      ),
    )
  }

  find(id: string): TaskRecord | undefined {
    const row = this.#access.write(() => this.#select.get(id))
    return row === undefined ? undefined : taskOf(row)
  }

  /** Returns the tasks of a project, newest first. */
  ofProject(root: string): readonly TaskRecord[] {
    return this.#access.write(() => this.#ofProject.all(root)).map(taskOf)
  }

  /** Records where a task is, with what was said and done on the way; all or nothing. */
  save(
    id: string,
    { status, state }: Pick<TaskRecord, 'status' | 'state'>,
    messages: readonly TaskMessage[],
    now: Date,
  ): void {
    const { write } = this.#access
    const ended = status === 'running' || status === 'waiting' ? null : now.toISOString()
    write(() => {
      this.#update.run(status, encodeJson(state), ended, id)
      for (const message of messages) this.#insertMessage(id, message, now)
    })
  }

  /** Records what was said or done in the middle of a step. */
  say(id: string, message: TaskMessage, now: Date): void {
    this.#access.write(() => this.#insertMessage(id, message, now))
  }

  messages(id: string): readonly (TaskMessage & { readonly at: string })[] {
    return this.#access
      .write(() => this.#messages.all(id))
      .map(({ at, kind, data }) => ({ at, kind, data: decodeJson(data) }))
  }

  #insertMessage(id: string, { kind, data }: TaskMessage, now: Date): void {
    this.#message.run(now.toISOString(), kind, this.#access.redact(encodeJson(data)), id)
  }
}

function taskOf({ started_at: startedAt, finished_at, state, ...row }: TaskRow): TaskRecord {
  const { id, root, file, hash, status } = row
  return {
    ...{ id, root, file, hash, status, startedAt },
    finishedAt: finished_at ?? undefined,
    state: decodeJson(state),
  }
}
