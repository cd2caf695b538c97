import type { ComparedLiteral } from '../../sql/index.js'
import type { CopySpec, Redistribution } from '../contract/copy-spec.js'
import type { Catalogue, QueryOutcome } from '../contract/engine.js'
import type { SentOutcome } from './packed-outcome.js'

/**
 * A request of the parent to a child, which processes one request after the other. Each gets exactly one
 * reply or the child's death, and none is processed after a reply that marks the child as tainted. `open`
 * comes first and once, except before `build`, which needs no open database.
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
  /** Writes a copy with values that it may not have contained. */
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
  /** Maximal number of rows read from a table, and of cells from all tables; of larger ones, a sample. */
  readonly rows: number
  readonly cells: number
}

/** Absolute paths of a database and of a new one. */
interface CopyRequest {
  readonly copy: string
  readonly target: string
}

export interface ReorderRequest extends CopyRequest {
  /** Seed of the order in which rows are written; absent: reversed. */
  readonly seed?: number | undefined
}

export interface InjectRequest extends CopyRequest {
  readonly values: readonly ComparedLiteral[]
  readonly spread?: Redistribution | undefined
}

export type ReplyBody =
  | { readonly kind: 'done' }
  | { readonly kind: 'outcome'; readonly outcome: SentOutcome }
  | { readonly kind: 'catalogue'; readonly catalogue: Catalogue }
  /** The engine itself failed. */
  | { readonly kind: 'unavailable'; readonly message: string }

export interface Reply {
  readonly body: ReplyBody
  /** Resident memory of the child after the request, in bytes. */
  readonly residentBytes: number
  /** The request left state behind that the next one could see: the child must not be used again. */
  readonly isTainted: boolean
}

/**
 * The operations of a child for one kind of engine. Errors of the engine itself are thrown as `EngineFault`.
 */
export interface Session {
  query(sql: string, caps: QueryCaps): Promise<QueryOutcome> | QueryOutcome
  fuzz(request: FuzzRequest): Promise<void> | void
  reorderRows(request: ReorderRequest): Promise<void> | void
  injectValues(request: InjectRequest): Promise<void>
  explain(sql: string): Promise<QueryOutcome> | QueryOutcome
  catalogue(): Promise<Catalogue> | Catalogue
  /** Reports whether an earlier statement left state that a later one could see. */
  isTainted(): Promise<boolean> | boolean
}

/** The part of an engine that runs in the child. */
export interface ChildDriver {
  open(path: string, memoryBytes: number): Promise<Session> | Session
  build(script: string, target: string): Promise<void> | void
}

/** A corrupt, locked or unreadable database: infrastructure, with the child's message. */
export class EngineFault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'EngineFault'
  }
}
