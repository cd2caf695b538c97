import type { Dialect } from '../../enums/dialect.js'
import {
  type Expression,
  type FromNode,
  isStar,
  type QueryShape,
  type SelectShape,
  type SourceId,
} from '../shape/query-shape.js'
import {
  eachFrom,
  rewriteExpression,
  rewriteQuery,
  someInQuery,
  withChanges,
} from '../shape/rewrite-query.js'
import { changesOf } from '../shape/stars.js'

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
    const derived = new Map<SourceId, SelectShape>()
    const visit = (node: FromNode): void => {
      if (node.kind === 'join') [node.left, node.right].forEach(visit)
      if (node.kind === 'table') tables.set(node.id, node.name)
      if (node.kind === 'derived' && node.query.kind === 'select' && node.extras.length === 0)
        derived.set(node.id, node.query)
    }
    eachFrom(query, visit)
    const note = (source: SourceId, name: string): void => {
      const table = tables.get(source)
      if (table !== undefined) hints.set(table, (hints.get(table) ?? new Set()).add(name))
      const inner = derived.get(source)
      const passed = inner === undefined || inner.names.includes(name) ? undefined : starSourceOf(inner, name)
      if (passed !== undefined) note(passed, name)
    }
    someInQuery(query, (part) => {
      if (part.kind === 'apply' && part.op === 'star') noteChanged(part, note)
      if (part.kind !== 'column' || part.source === undefined || part.maybeText !== undefined) return false
      if (part.output === undefined) note(part.source, part.name)
      return false
    })
  }
  return hints
}

/** Notes the columns that a star excludes, replaces or renames: they are columns of its table. */
function noteChanged(star: Expression, note: (source: SourceId, name: string) => void): void {
  const changed = changesOf(star)
  if (changed?.star.kind !== 'column' || changed.star.source === undefined) return
  const { except, replaced, renamed } = changed.changes
  for (const name of [...except, ...replaced.keys(), ...renamed.keys()]) note(changed.star.source, name)
}

/** The table of which a derived table shows all columns, where the name can only be one of these. */
function starSourceOf(inner: SelectShape, name: string): SourceId | undefined {
  const [star, ...others] = inner.outputs.filter(isStar)
  if (star === undefined || others.length > 0 || name === '*') return undefined
  const changed = changesOf(star)
  const column = changed === undefined ? star : changed.star
  const isOwn = column.kind === 'column' && column.name === '*' && changed?.changes.merged === undefined
  const isMade = changed !== undefined && [...changed.changes.renamed.values()].includes(name)
  return isOwn && !isMade ? column.source : undefined
}

/** Binds bare names to the one table of their SELECT that is known to have such a column. */
export function bindByHints(query: QueryShape, hints: ColumnHints, dialect: Dialect): QueryShape {
  return rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) =>
      nested.kind === 'select' && nested.from !== undefined
        ? bindSelect(nested, nested.from, hints, dialect)
        : nested,
  })
}

function bindSelect(query: SelectShape, from: FromNode, hints: ColumnHints, dialect: Dialect): QueryShape {
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
export function quotedNamesToText(query: QueryShape, texts: Set<string>): QueryShape {
  return rewriteQuery(query, {
    query: (nested) => nested,
    expression: (expression) => {
      if (expression.kind !== 'column' || expression.maybeText === undefined) return expression
      texts.add(expression.maybeText)
      return { kind: 'literal', type: 'text', value: expression.maybeText }
    },
  })
}
