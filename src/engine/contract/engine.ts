import type { Dialect } from '../../enums/dialect.js'
import type { ComparedLiteral } from '../../sql/index.js'
import type { CopySpec, Redistribution } from './copy-spec.js'
import type { Habit } from './habit.js'
import type { ScratchSchema } from './scratch-schema.js'

/** A cell. Inexact numbers stay text, so that no digit is lost between engine and comparison. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | { readonly kind: 'decimal'; readonly text: string }
  /** ISO date, YYYY-MM-DD. */
  | { readonly kind: 'date'; readonly text: string }
  /** ISO timestamp, `YYYY-MM-DD HH:MM:SS[.ffffff]`, with `+00` if it has a zone. */
  | { readonly kind: 'timestamp'; readonly text: string }
  /** Anything else (time, interval, list, struct, blob …) as the engine prints it, with its type. */
  | { readonly kind: 'other'; readonly type: string; readonly text: string }

export interface Column {
  readonly name: string
  /** The engine's own type name, empty if the type is not known. */
  readonly type: string
}

/** Rows as arrays in column order, so that columns of equal names lose nothing. */
export interface ResultSet {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Value[])[]
  /** The limit that truncated the result, which may be one of a service, or null if it is complete. */
  readonly cut: 'rows' | 'bytes' | 'service' | null
}

export interface QueryLimits {
  /** Deadline of one query, in milliseconds. */
  readonly timeoutMs: number
  /** Maximal number of rows kept; a longer result is truncated. */
  readonly rows: number
  /** Maximal bytes of cells kept, roughly as sent between processes; a larger result is truncated. */
  readonly bytes: number
  /** Resident memory of the process that runs the query, in bytes. */
  readonly memoryBytes: number
}

/** The outcome of a query. A wrong or hostile query is an outcome, never an exception. */
export type QueryOutcome =
  | {
      readonly kind: 'rows'
      readonly result: ResultSet
      readonly ms: number
      /** Absent where the engine does not say how much it read. */
      readonly scannedBytes?: number | undefined
    }
  /** The engine rejected it with an error: unknown column, syntax, overflow. */
  | {
      readonly kind: 'failed'
      readonly message: string
      /** What the set-up lacks (a right, a table that a replica does not have yet), with what to do: no query of a benchmark is to blame. */
      readonly setup?: string | undefined
    }
  /** Not a single reading statement, so it was not run. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It exceeded its deadline or memory limit and was killed. */
  | { readonly kind: 'killed'; readonly limit: 'deadline' | 'memory'; readonly message: string }

export interface CatalogueColumn extends Column {
  /** A constraint prohibits NULL. */
  readonly notNull?: true
  /** The expression that the column is computed by, in the engine's SQL. */
  readonly generated?: string
  /** The type that a domain is based on. */
  readonly base?: string
  /** Of an enumeration, in their order, whether or not a row has them. */
  readonly labels?: readonly string[]
  /** Where it is not that of the type or of the database; MySQL also has a character set. */
  readonly collation?: string
  readonly characterSet?: string
}

export interface CatalogueTable {
  /** Qualified as a query would write it: `traffic.visits`, or `visits` in the default schema. */
  readonly name: string
  readonly columns: readonly CatalogueColumn[]
  /** Primary key and unique constraints; absent if there is none, or the engine does not list them. */
  readonly keys?: readonly { readonly columns: readonly string[]; readonly primary: boolean }[]
  /** Columns of unique indexes on some rows only, or on expressions. */
  readonly partialKeys?: readonly string[]
  readonly references?: readonly {
    readonly columns: readonly string[]
    /** Named as in the catalogue. */
    readonly table: string
    readonly targets: readonly string[]
  }[]
  /** Conditions of CHECK constraints, in the engine's SQL. */
  readonly checks?: readonly string[]
  /** The query of a view; empty if the role may not read it. */
  readonly view?: string
}

/** Tables and columns, for suggestions and for schema-aware comparison. */
export interface Catalogue {
  readonly tables: readonly CatalogueTable[]
  /** There may be others: the address names no catalogue, or the service lists none. */
  readonly isPartial?: true
}

/** What the copies do not try, and what a match on them therefore rests on. */
export interface UntriedValues {
  /** Columns whose type the copies cannot vary: "geometry (places.area)". */
  readonly heldOnly: readonly string[]
  /** What columns have in common, which copies keep to. */
  readonly habits: readonly {
    readonly table: string
    readonly column: string
    readonly habit: Habit
    /** Known of all rows of the table, not of a sample alone. */
    readonly isOfAllRows: boolean
  }[]
}

/** Queries on a copy of a database. */
export interface CopyQueries {
  /** What the copy tests, in words: "ties and duplicate rows". */
  readonly title: string
  query(sql: string, limits: QueryLimits): Promise<QueryOutcome>
  /**
   * Runs the query on the same rows stored in another order: a difference shows that its result is
   * nondeterministic.
   *
   * @param round from 0; each has another order
   */
  queryReordered(sql: string, limits: QueryLimits, round?: number): Promise<QueryOutcome>
  /** How many orders are tried where one alone shows too little: a server need not repeat itself. Absent: one. */
  readonly rounds?: number
}

/** A database of the same tables with other rows, which satisfy every declared constraint. */
export interface FuzzedCopy extends CopyQueries {
  /**
   * Makes a copy of this one for two queries, with values injected where constraints allow them, and with the
   * other values that the queries read redistributed if `spread` is given. Closing it removes it.
   */
  withValues(values: readonly ComparedLiteral[], spread?: Redistribution): Promise<InjectedCopy>
  /** Returns what the copy does not try of the columns that queries read. Absent: it is to be found out. */
  untriedIn?(queries: readonly string[]): UntriedValues
}

export interface InjectedCopy extends CopyQueries {
  close(): Promise<void>
}

/** Makes fuzzed copies of a database; one seed always gives the same rows. */
export interface FuzzedCopies {
  /**
   * Opens a copy, which is made if it does not exist. Throws `engine_unavailable` or `write_failed` if it
   * cannot be made.
   */
  open(spec: CopySpec): Promise<FuzzedCopy>
  /**
   * Runs a query on a copy of the database itself, with the same rows stored in another order; each seed
   * gives another order, and without one the rows are reversed. Undefined if the database is too large for
   * that. Throws as `open` does.
   */
  queryReordered(sql: string, limits: QueryLimits, seed?: number): Promise<QueryOutcome | undefined>
}

/**
 * Executes SQL, strictly read-only. Methods throw `AutotestError('engine_unavailable')` if the engine itself
 * fails (database missing or corrupt, process cannot start): infrastructure, never a wrong answer.
 */
export interface Engine {
  /** As configured, with passwords masked: `duckdb:data/shop.duckdb`. */
  readonly url: string
  readonly dialect: Dialect
  query(sql: string, limits: QueryLimits): Promise<QueryOutcome>
  /** Checks whether the statement would run, without running it. */
  explain(sql: string, limits: QueryLimits): Promise<QueryOutcome>
  catalogue(): Promise<Catalogue>
  /** Returns a text that changes when the data may have changed; part of cache keys. */
  fingerprint(): Promise<string>
  /** Undefined for an engine whose database cannot be copied. */
  readonly copies?: FuzzedCopies | undefined
  /**
   * The catalogue lists every constraint and the query of each view, so that samples of the tables can stand for them in
   * front of a query; `charged`: each byte that is read costs.
   */
  readonly samples?: 'free' | 'charged'
  /** Where the address names a schema for copies. */
  readonly scratch?: ScratchSchema | undefined
  close(): Promise<void>
}
