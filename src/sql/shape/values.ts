import type { Dialect } from '../../enums/dialect.js'
import { type AstObject, asList, asObject, semanticEntries } from './ast.js'
import { type Expression, emptySelect, type QueryShape, type SelectShape, unionAll } from './query-shape.js'
import type { QueryUse, ReadContext } from './read-context.js'
import type { Scope } from './scope.js'

/** Longer lists are kept as written. */
const maxRows = 60

/** Names that dialects give the columns of VALUES; the first is 0 or 1. */
const columnNames: Partial<Record<Dialect, readonly [prefix: string, first: 0 | 1]>> = {
  ansi: ['expr$', 0],
  sqlite: ['column', 1],
  postgres: ['column', 1],
  redshift: ['column', 1],
  snowflake: ['column', 1],
  mysql: ['column_', 0],
  duckdb: ['col', 0],
  trino: ['_col', 0],
  presto: ['_col', 0],
  spark: ['col', 1],
}

/** VALUES as what it says: one SELECT of the values for each row, joined by UNION ALL. */
export function readValues(
  body: AstObject,
  scope: Scope,
  use: QueryUse,
  context: ReadContext,
): QueryShape | undefined {
  if (semanticEntries(body, new Set(['expressions'])).length > 0) return undefined
  const rows = asList(body['expressions']).map((item) => {
    const row = asObject(item) ?? {}
    const isPlain = semanticEntries(row, new Set(['expressions'])).length === 0
    return isPlain ? asList(row['expressions']) : []
  })
  const [first] = rows
  const width = first?.length ?? 0
  if (width === 0 || rows.length > maxRows || rows.some((row) => row.length !== width)) return undefined
  const read = (row: readonly unknown[]): SelectShape =>
    selectOf(
      row.map((value) => context.expression(value, scope)),
      context.dialect,
      rows.length > 1 ? 'positional' : use,
    )
  const operands = rows.map(read)
  const [only] = operands
  return operands.length === 1 ? only : unionAll(operands)
}

function selectOf(outputs: readonly Expression[], dialect: Dialect, use: QueryUse): SelectShape {
  const [prefix, first] = columnNames[dialect] ?? []
  return {
    ...emptySelect,
    outputs,
    names: outputs.map((_, at) =>
      prefix === undefined || first === undefined ? undefined : `${prefix}${at + first}`,
    ),
    positional: use === 'positional',
  }
}
