import { plainName, type Schema, type TableSchema, tableOf } from '../tables/table-schema.js'
import { type Expression, type FromNode, field, type QueryShape, type SourceId, word } from './query-shape.js'
import { rewriteQuery, someInQuery } from './rewrite-query.js'

/** Columns that databases add to every table. */
const implicit: ReadonlySet<string> = new Set(['rowid', 'oid', '_rowid_', 'ctid'])

/**
 * The columns that a query reads of known tables which have no such column, as a clause of its own: a database
 * refuses the query, even where nothing uses what is computed from them. Nothing where there are none.
 */
export function unknownColumns(query: QueryShape, schema: Schema | undefined): readonly Expression[] {
  if (schema === undefined) return []
  const { tables, unbound } = visibleTablesOf(query, schema)
  const names = new Set<string>(unbound)
  someInQuery(query, (part) => {
    if (part.kind !== 'column' || part.source === undefined || part.maybeText !== undefined) return false
    const table = tables.get(part.source)
    const name = plainName(part.name)
    if (table === undefined || name === '*' || table.columns.has(name) || implicit.has(name)) return false
    if (!isCalledLike(table, name)) names.add(`${table.name}.${name}`)
    return false
  })
  return names.size === 0 ? [] : [field('unknown columns', ...[...names].sort().map(word))]
}

interface VisibleTables {
  readonly tables: ReadonlyMap<SourceId, TableSchema>
  /** Bare names that are listed as outputs and are no column of any table, where all tables are known. */
  readonly unbound: readonly string[]
}

function visibleTablesOf(query: QueryShape, schema: Schema): VisibleTables {
  const tables = new Map<SourceId, TableSchema>()
  const named = new Set<string>()
  const bare: string[] = []
  let isClosed = true
  const visit = (node: FromNode): void => {
    if (node.kind === 'join') {
      ;[node.left, node.right].forEach(visit)
      return
    }
    const known = node.kind === 'table' ? tableOf(schema, node.name) : undefined
    if (node.extras.length > 0 || (known === undefined && node.kind !== 'derived')) isClosed = false
    else if (known !== undefined) tables.set(node.id, known)
  }
  rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) => {
      if (nested.kind !== 'select') return nested
      if (nested.from !== undefined) visit(nested.from)
      nested.outputs.forEach((output, at) => {
        const isBare =
          output.kind === 'column' && output.source === undefined && output.maybeText === undefined
        if (isBare && output.name !== '*') bare.push(plainName(output.name))
        else named.add(plainName(nested.names[at] ?? ''))
      })
      return nested
    },
  })
  const isColumn = (name: string): boolean =>
    named.has(name) || implicit.has(name) || [...tables.values()].some(({ columns }) => columns.has(name))
  return { tables, unbound: isClosed ? bare.filter((name) => !isColumn(name)) : [] }
}

/** The name of a table may stand for its row. */
function isCalledLike(table: TableSchema, name: string): boolean {
  return plainName(table.name) === name || plainName(table.name).endsWith(`.${name}`)
}
