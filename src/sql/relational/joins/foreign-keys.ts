import type { JoinItem } from '../../normalize/join-pool.js'
import { apply, type Expression, type SelectShape, type SourceId } from '../../shape/query-shape.js'
import { someInQuery } from '../../shape/rewrite-query.js'
import { plainName } from '../../tables/table-schema.js'
import { asSelect } from '../as-select.js'
import { type Column, isSameExpression, replaceColumns } from '../column-references.js'
import { blockOf, type JoinBlock, withBlock } from '../join-block.js'
import { isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

interface Reference {
  readonly child: Column
  readonly parent: Column
  readonly condition: Expression
}

/** Equations that follow a declared foreign key of one column from a table to the table it references. */
function foreignKeyEquations(where: readonly Expression[], facts: Facts): Reference[] {
  return where.flatMap((condition): Reference[] => {
    const [a, b] = condition.kind === 'apply' && condition.op === '=' ? condition.args : []
    if (a?.kind !== 'column' || b?.kind !== 'column') return []
    if (isForeignKeyPair(a, b, facts)) return [{ child: a, parent: b, condition }]
    return isForeignKeyPair(b, a, facts) ? [{ child: b, parent: a, condition }] : []
  })
}

function isForeignKeyPair(child: Column, parent: Column, facts: Facts): boolean {
  const [from, to] = [tableOf(child, facts), tableOf(parent, facts)]
  if (from === undefined || to === undefined || child.source === parent.source) return false
  const primary = to.keys.find((key) => key.primary)?.columns ?? []
  return from.foreignKeys.some(({ columns, table, references: named }) => {
    const target = named.length > 0 ? named : primary
    return (
      columns.length === 1 &&
      columns[0] === plainName(child.name) &&
      plainName(table) === plainName(to.name) &&
      target.length === 1 &&
      target[0] === plainName(parent.name)
    )
  })
}

function tableOf(column: Column, facts: Facts) {
  return column.source === undefined ? undefined : facts.tables.get(column.source)
}

/** Each row of the table finds the row that it references: no more, as it is referenced by a key, and no less. */
export function dropReferencedTable(select: SelectShape, facts: Facts): SelectShape {
  if (facts.tables.size === 0) return select
  const block = blockOf(select)
  for (const { child, parent, condition } of foreignKeyEquations(block.where, facts)) {
    const item = block.items.find((candidate) => candidate.kind === 'table' && candidate.id === parent.source)
    const isUnique = tableOf(parent, facts)?.keys.some(
      (key) => key.columns.length === 1 && key.columns[0] === plainName(parent.name),
    )
    if (item === undefined || item.kind === 'kept' || isUnique !== true) continue
    if (!block.items.some((candidate) => candidate.kind !== 'kept' && candidate.id === child.source)) continue
    const notNull = isNotNull(
      child,
      facts,
      block.where.filter((other) => other !== condition),
    )
      ? []
      : [apply('not', apply('is_null', child))]
    const without = withBlock(select, {
      items: block.items.filter((candidate) => candidate !== item),
      lefts: block.lefts,
      where: [...block.where.filter((other) => other !== condition), ...notNull],
    })
    const isOther = (part: Expression): boolean =>
      part.kind === 'column' && part.source === item.id && !isSameExpression(part, parent)
    if (someInQuery(without, isOther)) continue
    if (!facts.assumptions.assume('foreign keys', describeReference(child, parent, facts))) continue
    return asSelect(
      replaceColumns(without, (column) => (isSameExpression(column, parent) ? child : undefined)),
      select,
    )
  }
  return select
}

function describeReference(child: Column, parent: Column, facts: Facts): string {
  const name = (column: Column): string => `${facts.names.get(column.source ?? -1) ?? '?'}.${column.name}`
  return `every ${name(child)} that is not NULL is a ${name(parent)}`
}

/** Whether each row of the block finds its rows in the items, following foreign keys that may be trusted. */
export function alwaysMatches(
  items: readonly JoinItem[],
  conditions: readonly Expression[],
  inner: JoinBlock,
  facts: Facts,
): boolean {
  const waiting = new Set(items.flatMap((item): SourceId[] => (item.kind === 'table' ? [item.id] : [])))
  if (waiting.size !== items.length) return false
  const found = foreignKeyEquations(conditions, facts)
  if (found.length !== conditions.length) return false
  for (const { child, parent } of found) {
    if (parent.source === undefined || !waiting.delete(parent.source)) return false
    if (
      !isNotNull(child, facts, inner.where) &&
      !facts.assumptions.assume('nulls', `${facts.names.get(child.source ?? -1)}.${child.name} is never NULL`)
    )
      return false
    if (!facts.assumptions.assume('foreign keys', describeReference(child, parent, facts))) return false
  }
  return waiting.size === 0
}
