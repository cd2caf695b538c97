import type { Dialect } from '../enums/dialect.js'

/** What is known about the dialects of two queries that are compared. */
export interface DialectSources {
  /** The query's own: of the case, the flag or the line. */
  readonly expected: Dialect | undefined
  /** The query's own: of the agent, the flag or the line. */
  readonly generated: Dialect | undefined
  /** Given for both queries. */
  readonly both?: Dialect | undefined
  /** Dialect of the database on which they run. */
  readonly engine: Dialect | undefined
}

export interface QueryDialects {
  readonly expected: Dialect
  readonly generated: Dialect
}

/**
 * Decides in which dialect each of two queries is read: its own, else the one given for both, else the
 * engine's, else that of the other query, else ANSI.
 */
export function queryDialects({ expected, generated, both, engine }: DialectSources): QueryDialects {
  const shared = both ?? engine
  return {
    expected: expected ?? shared ?? generated ?? 'ansi',
    generated: generated ?? shared ?? expected ?? 'ansi',
  }
}
