import type { ComparedLiteral } from '../../sql/index.js'
import type { CopySpec, Redistribution } from '../contract/copy-spec.js'
import type { Catalogue, QueryOutcome } from '../contract/engine.js'

/**
 * A request of the parent to a child, which serves one request after the other. Each gets exactly one reply or the child's
 * death, and none is served after a reply that marks the child as tainted.
 * `open` comes first and once, except for `build`, which needs no open database.
 */
export type Request =
  /** Absolute path; the engine's own memory limit in bytes. */
  | { readonly kind: 'open'; readonly path: string; readonly memoryBytes: number }
  /** Runs an SQL script on a new, writable database at `target`. */
  | { readonly kind: 'build'; readonly script: string; readonly target: string }
  /** Writes a fuzzed copy of the opened database. */
  | ({ readonly kind: 'fuzz' } & FuzzRequest)
  /** Writes a copy with its rows stored in another order. */
  | ({ readonly kind: 'rearrange' } & ReorderRequest)
  /** Writes a copy in which values stand that it may not have held. */
  | ({ readonly kind: 'place' } & InjectRequest)
  /** `database`: absolute path of a copy to run on instead. */
  | ({ readonly kind: 'query'; readonly sql: string } & QueryCaps)
  | { readonly kind: 'explain'; readonly sql: string }
  | { readonly kind: 'catalogue' }

export interface QueryCaps {
  readonly rows: number
  readonly bytes: number
  readonly database?: string | undefined
}

export interface FuzzRequest {
  /** Absolute path of a new database. */
  readonly target: string
  readonly spec: CopySpec
  /** Rows of a table that are read, and cells of all tables; of larger ones, a sample. */
  readonly rows: number
  readonly cells: number
}

/** Absolute paths of a database and of a new one. */
interface CopyRequest {
  readonly copy: string
  readonly target: string
}

export interface ReorderRequest extends CopyRequest {
  /** Seed of the order in which rows are written; absent: the last one first. */
  readonly seed?: number | undefined
}

export interface InjectRequest extends CopyRequest {
  readonly values: readonly ComparedLiteral[]
  readonly spread?: Redistribution | undefined
}

export type ReplyBody =
  | { readonly kind: 'done' }
  | { readonly kind: 'outcome'; readonly outcome: QueryOutcome }
  | { readonly kind: 'catalogue'; readonly catalogue: Catalogue }
  /** The engine itself is at fault. */
  | { readonly kind: 'unavailable'; readonly message: string }

export interface Reply {
  readonly body: ReplyBody
  /** Resident memory of the child after the request, in bytes. */
  readonly residentBytes: number
  /** The request left something behind that the next one could see: the child must not serve again. */
  readonly isTainted: boolean
}

/** The operations of a child for one kind of engine. Errors of the engine itself are thrown as `EngineFault`. */
export interface Session {
  query(sql: string, caps: QueryCaps): Promise<QueryOutcome> | QueryOutcome
  fuzz(request: FuzzRequest): Promise<void> | void
  reorderRows(request: ReorderRequest): Promise<void> | void
  injectValues(request: InjectRequest): Promise<void>
  explain(sql: string): Promise<QueryOutcome> | QueryOutcome
  catalogue(): Promise<Catalogue> | Catalogue
  /** Whether an earlier statement left state that a later one could see. */
  isTainted(): Promise<boolean> | boolean
}

/** The half of an engine that runs in the child. */
export interface ChildDriver {
  open(path: string, memoryBytes: number): Promise<Session> | Session
  build(script: string, target: string): Promise<void> | void
}

/** Database corrupt, locked, unreadable: infrastructure, in the child's words. */
export class EngineFault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'EngineFault'
  }
}
