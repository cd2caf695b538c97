import type { Dialect } from '../enums/dialect.js'
import type { QueryShape } from './shape/query-shape.js'
import type { Schema, TableSchema } from './tables/table-schema.js'
import type { TokenizeOutcome } from './tokens.js'

export type ParseOutcome =
  | { readonly kind: 'query'; readonly shape: QueryShape }
  /** Not one query that the parser reads; line and column count from 1. */
  | {
      readonly kind: 'unparsable'
      readonly message: string
      readonly line?: number | undefined
      readonly column?: number | undefined
    }

export type TranslateOutcome =
  | { readonly kind: 'sql'; readonly sql: string }
  | { readonly kind: 'failed'; readonly message: string }

export type TablesOutcome =
  | { readonly kind: 'tables'; readonly tables: readonly TableSchema[] }
  | { readonly kind: 'failed'; readonly message: string }

/** Reads SQL. Never throws for any text; the same text always gives the same answer. */
export interface SqlParser {
  /** Reads a single query; several statements, none, or one that writes are `unparsable`. */
  /** With a schema, names are bound to the tables that have such columns, and `*` to what it stands for. */
  parse(sql: string, dialect: Dialect, schema?: Schema | undefined): ParseOutcome
  /** Reads the CREATE TABLE statements of a text. */
  parseTables(ddl: string, dialect: Dialect): TablesOutcome
  /** Reads a query or a snippet with `{{ placeholders }}`. */
  tokenize(sql: string, dialect: Dialect): TokenizeOutcome
}

/** Writes SQL. Never throws for any text. */
export interface SqlTranslator {
  /** Rewrites a single query into another dialect. */
  translate(sql: string, from: Dialect, to: Dialect): TranslateOutcome
}
