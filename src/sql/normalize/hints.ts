import type { Dialect } from '../../dialect.js'
import type { Expression, FromNode, QueryShape, SelectShape, SourceId } from '../shape/query-shape.js'
import { eachFrom, rewriteExpression, rewriteQuery, someInQuery, withChanges } from '../shape/walk.js'

/** Columns that queries show a table to have, by the table's full name. */
export type ColumnHints = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Columns that are bound to a table in any of the queries. Queries over one schema tell of one another's
 * columns: where one says `c.region`, a bare `region` beside the same table can only mean that one.
 */
export function columnHints(queries: readonly QueryShape[]): ColumnHints {
  const hints = new Map<string, Set<string>>()
  for (const query of queries) {
    const tables = new Map<SourceId, string>()
    eachFrom(query, (from) => {
      for (const { id, name } of tablesOf(from)) tables.set(id, name)
    })
    someInQuery(query, (part) => {
      if (part.kind !== 'column' || part.source === undefined || part.maybeText !== undefined) return false
      const table = tables.get(part.source)
      if (table !== undefined) hints.set(table, (hints.get(table) ?? new Set()).add(part.name))
      return false
    })
  }
  return hints
}

/** Binds bare names to the one table of their SELECT that is known to have such a column. */
export function bindByHints(query: QueryShape, hints: ColumnHints, dialect: Dialect): QueryShape {
  return rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) =>
      nested.kind === 'select' && nested.from !== undefined
        ? bindOwn(nested, nested.from, hints, dialect)
        : nested,
  })
}

function bindOwn(query: SelectShape, from: FromNode, hints: ColumnHints, dialect: Dialect): QueryShape {
  const bound = dialect === 'sqlite' ? from : bindOn(from, hints)
  const select = bound === from ? query : { ...query, from: bound }
  // Subqueries were bound before this query: what is still bare in them belongs to it as well.
  return rewriteQuery(select, { expression: binder(tablesOf(from), hints), query: (nested) => nested })
}

/** Conditions of joins see the tables that they join before all others of FROM, but in SQLite. */
function bindOn(node: FromNode, hints: ColumnHints): FromNode {
  if (node.kind !== 'join') return node
  const own = { expression: binder(tablesOf(node), hints), query: (nested: QueryShape): QueryShape => nested }
  return withChanges(node, {
    left: bindOn(node.left, hints),
    right: bindOn(node.right, hints),
    on: node.on && rewriteExpression(node.on, own),
  })
}

type Table = FromNode & { kind: 'table' }

function binder(tables: readonly Table[], hints: ColumnHints): (expression: Expression) => Expression {
  return (expression) => {
    if (expression.kind !== 'column') return expression
    const isOpen = expression.source === undefined || expression.maybeText !== undefined
    const candidates = tables.filter(({ id }) => expression.source === undefined || expression.source === id)
    const owners = isOpen
      ? candidates.filter((table) => hints.get(table.name)?.has(expression.name) === true)
      : []
    const [owner] = owners
    return owner === undefined || owners.length > 1
      ? expression
      : { kind: 'column', source: owner.id, name: expression.name }
  }
}

function tablesOf(node: FromNode): readonly Table[] {
  if (node.kind === 'join') return [...tablesOf(node.left), ...tablesOf(node.right)]
  return node.kind === 'table' ? [node] : []
}

/**
 * Reads SQLite's names in double quotes as texts, which they are where no column has the name; `texts` are
 * those that were read so. Names that hints have bound to a table are columns.
 */
export function readQuotedAsText(query: QueryShape, texts: Set<string>): QueryShape {
  return rewriteQuery(query, {
    query: (nested) => nested,
    expression: (expression) => {
      if (expression.kind !== 'column' || expression.maybeText === undefined) return expression
      texts.add(expression.maybeText)
      return { kind: 'literal', type: 'text', value: expression.maybeText }
    },
  })
}
