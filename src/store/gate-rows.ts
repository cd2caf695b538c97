import type { Database, Statement } from '../platform/sqlite.js'
import { decodeJson, encodeJson } from './encode-json.js'
import { insertWithId, type TableAccess } from './table-access.js'

/** A way to answer a gate. */
export interface GateOption {
  /** `A`, `B` … */
  readonly choice: string
  /** What it means to the program. */
  readonly answer: string
  /** What it means to a person. */
  readonly text: string
}

/** A question on which work waits. */
export interface GateDraft {
  /** Of the project, absolute. */
  readonly root: string
  readonly source: 'task' | 'run'
  /** Id of the task or run. */
  readonly owner: string
  readonly kind: string
  /** What it is about: a test, a metric. */
  readonly subject: string
  readonly question: string
  /** Lines for whoever decides. */
  readonly details: readonly string[]
  readonly options: readonly GateOption[]
}

export interface GateRecord extends GateDraft {
  readonly id: string
  /** ISO timestamps, UTC. */
  readonly askedAt: string
  readonly expiresAt: string
  readonly answer: string | undefined
  readonly answeredAt: string | undefined
  /** When the answer was carried out. */
  readonly doneAt: string | undefined
}

interface GateRow {
  readonly id: string
  readonly root: string
  readonly source: GateRecord['source']
  readonly owner: string
  readonly kind: string
  readonly subject: string
  readonly question: string
  readonly details: string
  readonly options: string
  readonly asked_at: string
  readonly expires_at: string
  readonly answer: string | null
  readonly answered_at: string | null
  readonly done_at: string | null
}

/** How long a gate stays open. */
const openDays = 30

/** The gates of a run database. */
export class GateRows {
  readonly #access: TableAccess
  readonly #insert: Statement<unknown[]>
  readonly #select: Statement<unknown[], GateRow>
  readonly #ofProject: Statement<unknown[], GateRow>
  readonly #answer: Statement<unknown[]>
  readonly #done: Statement<unknown[]>

  constructor(database: Database, access: TableAccess) {
    this.#access = access
    this.#insert = database.prepare(
      `INSERT INTO gates (id, root, source, owner, kind, subject, question, details, options, asked_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    )
    this.#select = database.prepare('SELECT * FROM gates WHERE id = ?')
    this.#ofProject = database.prepare('SELECT * FROM gates WHERE root = ? ORDER BY seq')
    this.#answer = database.prepare(
      'UPDATE gates SET answer = ?, answered_at = ? WHERE id = ? AND answer IS NULL',
    )
    this.#done = database.prepare('UPDATE gates SET done_at = ? WHERE id = ? AND done_at IS NULL')
  }

  /** Opens a gate; returns its id. Within `write` of a task, so that both are there or neither. */
  open(draft: GateDraft, now: Date): string {
    const { write, redact, random } = this.#access
    const expires = new Date(now.getTime() + openDays * 24 * 3600 * 1000)
    const { root, source, owner, kind, subject } = draft
    const texts = [redact(draft.question), redact(encodeJson(draft.details)), encodeJson(draft.options)]
    return write(() =>
      insertWithId('g', random, (id) => {
        const times = [now.toISOString(), expires.toISOString()]
        return this.#insert.run(id, root, source, owner, kind, subject, ...texts, ...times).changes > 0
      }),
    )
  }

  find(id: string): GateRecord | undefined {
    const row = this.#access.write(() => this.#select.get(id))
    return row === undefined ? undefined : gateOf(row)
  }

  /** Returns the gates of a project, oldest first. */
  ofProject(root: string): readonly GateRecord[] {
    return this.#access.write(() => this.#ofProject.all(root)).map(gateOf)
  }

  /** Records an answer; false where there is one already. */
  answer(id: string, answer: string, now: Date): boolean {
    return this.#access.write(() => this.#answer.run(answer, now.toISOString(), id).changes > 0)
  }

  /** Records that an answer was carried out. */
  finish(id: string, now: Date): void {
    this.#access.write(() => this.#done.run(now.toISOString(), id))
  }
}

/** Reports whether a gate can still be answered. */
export function isOpen({ answer, expiresAt }: GateRecord, now: Date): boolean {
  return answer === undefined && now.toISOString() < expiresAt
}

function gateOf(row: GateRow): GateRecord {
  const { asked_at: askedAt, expires_at: expiresAt, answered_at, done_at, details, options, answer } = row
  const { id, root, source, owner, kind, subject, question } = row
  return {
    ...{ id, root, source, owner, kind, subject, question, askedAt, expiresAt },
    details: decodeJson(details),
    options: decodeJson(options),
    answer: answer ?? undefined,
    answeredAt: answered_at ?? undefined,
    doneAt: done_at ?? undefined,
  }
}
