import type { Dialect } from '../../../enums/dialect.js'
import type { Expression, FromNode, QueryShape, SelectShape, SourceId } from '../../shape/query-shape.js'
import { rewriteQuery } from '../../shape/rewrite-query.js'
import { includesExpression } from '../column-references.js'

/** Columns of tables that PostgreSQL takes for keys, by the table's name: sets of names that a query groups by. */
export type ImpliedKeys = ReadonlyMap<string, readonly ReadonlySet<string>[]>

/**
 * Infers keys of tables from a query in PostgreSQL: there a query may show a column that it is not grouped by only where
 * it is grouped by the primary key of the column's table.
 */
export function inferImpliedKeys(query: QueryShape, dialect: Dialect): ImpliedKeys {
  const found = new Map<string, ReadonlySet<string>[]>()
  if (dialect !== 'postgres') return found
  rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) => {
      const grouped = groupsOf(nested)
      for (const { source } of grouped === undefined ? [] : ungroupedOutputs(grouped)) {
        const [table, columns] = [grouped?.tables.get(source), grouped?.keys.get(source)]
        if (table !== undefined && columns !== undefined)
          found.set(table, [...(found.get(table) ?? []), columns])
      }
      return nested
    },
  })
  return found
}

/** The query with the columns that its groups show by what they determine as keys, as all dialects accept them. */
export function addDependentGroupKeys(query: QueryShape, dialect: Dialect, shown: ImpliedKeys): QueryShape {
  const grouped = groupsOf(query)
  if (grouped === undefined) return query
  const isKeyed = ({ source }: Bound): boolean => {
    const columns = grouped.keys.get(source)
    const keys = shown.get(grouped.tables.get(source) ?? '') ?? []
    return (
      dialect === 'postgres' ||
      keys.some((key) => columns !== undefined && [...key].every((name) => columns.has(name)))
    )
  }
  const missing = ungroupedOutputs(grouped).filter(isKeyed)
  const distinct = missing.filter((value, at) => !includesExpression(missing.slice(0, at), value))
  if (distinct.length === 0) return query
  return { ...grouped.select, groupBy: [...grouped.select.groupBy, ...distinct] }
}

type Bound = Expression & { readonly kind: 'column'; readonly source: SourceId }

interface Groups {
  readonly select: SelectShape
  readonly tables: ReadonlyMap<SourceId, string>
  /** The columns of each table that the query is grouped by. */
  readonly keys: ReadonlyMap<SourceId, ReadonlySet<string>>
}

function groupsOf(query: QueryShape): Groups | undefined {
  if (query.kind !== 'select' || query.groupBy.length === 0) return undefined
  if (query.extras.length > 0 || query.from === undefined) return undefined
  const keys = new Map<SourceId, Set<string>>()
  for (const key of query.groupBy.filter(isBound))
    keys.set(key.source, (keys.get(key.source) ?? new Set()).add(key.name))
  return { select: query, tables: tablesOf(query.from), keys }
}

/** Columns of tables that have a key, shown but not grouped by. */
function ungroupedOutputs({ select, tables, keys }: Groups): readonly Bound[] {
  const values = [...select.outputs, ...select.orderBy.map(({ by }) => by)]
  return values
    .filter(isBound)
    .filter((value) => tables.has(value.source) && keys.has(value.source))
    .filter((value) => !includesExpression(select.groupBy, value))
}

function isBound(value: Expression): value is Bound {
  return value.kind === 'column' && value.source !== undefined
}

function tablesOf(node: FromNode): ReadonlyMap<SourceId, string> {
  if (node.kind === 'join') return new Map([...tablesOf(node.left), ...tablesOf(node.right)])
  return new Map(node.kind === 'table' ? [[node.id, node.name]] : [])
}
