import type { Dialect } from '../../enums/dialect.js'
import type { Assumptions } from '../relational/assumptions.js'
import type { Expression, QueryShape } from '../shape/query-shape.js'
import { rewriteQuery, someInQuery } from '../shape/rewrite-query.js'
import { type Schema, tableOf } from '../tables/table-schema.js'
import { sourcesIn } from './query-sources.js'

type Column = Expression & { kind: 'column' }

/**
 * Returns the query without casts of columns to the type that they are assumed to have: only one type, on which the whole
 * pair has to agree. Nothing is assumed about a table in the schema, and a column among `times`, which hold dates or times,
 * is not assumed to hold texts.
 */
export function dropAssumedCasts(
  query: QueryShape,
  dialect: Dialect,
  schema: Schema | undefined,
  assumptions: Assumptions,
  times: ReadonlySet<string>,
): QueryShape {
  // SQLite's columns hold values of any type.
  if (dialect === 'sqlite' || !someInQuery(query, (part) => castColumn(part) !== undefined)) return query
  const sources = sourcesIn(query)
  return rewriteQuery(query, {
    query: (nested) => nested,
    expression: (expression) => {
      const { column, type } = castColumn(expression) ?? {}
      const table = column?.source === undefined ? undefined : sources.tables.get(column.source)
      if (column === undefined || type === undefined || table === undefined) return expression
      if (schema !== undefined && tableOf(schema, table) !== undefined) return expression
      const name = `${table}.${column.name}`
      if (times.has(name) && isTextType(type)) return expression
      return assumptions.assumeConsistently('types', name, `${name} has the type ${type}`)
        ? column
        : expression
    },
  })
}

function isTextType(type: string): boolean {
  return /char|text|string/u.test(type)
}

/** A column of a table that is cast to a type without a size. */
function castColumn(part: Expression): { readonly column: Column; readonly type: string } | undefined {
  if (part.kind !== 'apply' || part.op !== 'cast' || part.args.length !== 2) return undefined
  const [column, type] = part.args
  const isPlain = type?.kind === 'literal' && /^[a-z][a-z0-9 ]*$/u.test(type.value)
  return column?.kind === 'column' && column.output === undefined && isPlain
    ? { column, type: type.value }
    : undefined
}
