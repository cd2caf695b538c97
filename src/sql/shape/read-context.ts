import type { Dialect } from '../../enums/dialect.js'
import type { Expression, QueryShape, SourceId } from './query-shape.js'
import type { CteBinding, Scope } from './scope.js'

/** State shared by the readers of one query text; it connects expressions, FROM and queries, which contain each other. */
export interface ReadContext {
  readonly dialect: Dialect
  /** Plain names of all columns of a table, in its order; undefined where no schema tells. */
  knownColumns(table: string): ReadonlySet<string> | undefined
  nextSource(): SourceId
  expression(value: unknown, scope: Scope): Expression
  /** The node, its operators grouped as the dialect does. */
  grouped(value: unknown): unknown
  query(value: unknown, scope: Scope, use: QueryUse): QueryShape
  /** The rows that the name of a CTE stands for. */
  cte(cte: CteBinding): QueryShape
  /** Whether the text has a double quote at this position of the parser. */
  isDoubleQuoted(span: unknown): boolean
  /** The text is a query, but not one that we compare: too large, or it writes. The first reason counts. */
  refuse(reason: string): void
}

/** `rows`: only the bag of rows counts; `positional`: the order of the columns counts too. */
export type QueryUse = 'rows' | 'positional'
