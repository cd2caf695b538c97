import { createRequire } from 'node:module'
import type { Dialect } from '../../enums/dialect.js'
import { messageOf } from '../../errors.js'
import { builtModulePath } from '../../platform/built-module.js'
import { readTokens, type TokenizeOutcome } from '../tokens.js'
import { blankHashComments } from './hash-comments.js'
import { tooDeepMessage } from './size-limits.js'

export type Polyglot = typeof import('@polyglot-sql/sdk')
export type PolyglotDialect = NonNullable<Parameters<Polyglot['parse']>[1]>

type Started = Polyglot & { readonly initSync: () => void }

/**
 * A copy of @polyglot-sql/sdk that the build makes, loaded by its first use and at once: it is only known in the middle of a
 * comparison that a query was never read before. What reads are 5 MB of WebAssembly, which compile in 15 ms, their functions
 * at the first call; what translates, too, are 17 MB.
 */
export function lazyLibrary(copy: 'parser' | 'translator'): () => Polyglot {
  let loaded: Polyglot | undefined
  return () => {
    loaded ??= loadLibrary(builtModulePath(`${copy}/index.cjs`))
    return loaded
  }
}

function loadLibrary(path: string): Polyglot {
  try {
    const library: Started = createRequire(import.meta.url)(path)
    library.initSync()
    return library
  } catch (cause) {
    throw new LibraryMissingError(`the SQL library cannot be loaded from ${path}`, { cause })
  }
}

/** No fault of the text that is read. */
class LibraryMissingError extends Error {}

export function libraryDialect(library: Polyglot, dialect: Dialect): PolyglotDialect {
  return library.Dialect[libraryNames[dialect]]
}

const libraryNames = {
  ansi: 'Generic',
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
  mysql: 'MySQL',
  trino: 'Trino',
  presto: 'Presto',
  duckdb: 'DuckDB',
  bigquery: 'BigQuery',
  snowflake: 'Snowflake',
  spark: 'Spark',
  redshift: 'Redshift',
} as const satisfies Record<Dialect, keyof Polyglot['Dialect']>

export function tokenize(library: Polyglot, written: string, dialect: Dialect): TokenizeOutcome {
  const sql = blankHashComments(written, dialect)
  const result = library.tokenize(sql, libraryDialect(library, dialect))
  if (!result.success || result.tokens === undefined) {
    return { kind: 'failed', message: result.error ?? 'The text cannot be parsed' }
  }
  const raw = result.tokens.map(({ text, span }) => ({ text, start: span.start, end: span.end }))
  return { kind: 'tokens', tokens: readTokens(sql, raw, dialect) }
}

/** The library returns its errors, but traps of WebAssembly (nesting beyond its stack) are thrown. */
export function catchParserErrors<T>(failed: (message: string) => T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof LibraryMissingError) throw error
    return failed(readableParserError(`The parser gave up: ${messageOf(error)}`))
  }
}

/** An error of the library as a reader understands it: it names its limits by codes, and its stack as the engine does. */
export function readableParserError(error: string): string {
  const limit = /E_GUARD_\w*DEPTH\w*: value \d+ exceeds configured limit (\d+)/u.exec(error)?.[1]
  if (limit !== undefined) return tooDeepMessage(Number(limit))
  return /Maximum call stack size|: unreachable$/u.test(error)
    ? 'The query is nested or chained too deeply to be parsed'
    : error
}

export function notAQueryMessage(sql: string): string {
  const line = sql.trim().replace(/\s+/gu, ' ')
  return `Not a query: "${line.length > 40 ? `${line.slice(0, 40)}…` : line}"`
}
