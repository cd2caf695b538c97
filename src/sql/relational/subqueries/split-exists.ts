import { toIsTrue, trueLiteral } from '../../conditions/boolean-expressions.js'
import type { LeafNode } from '../../normalize/join-pool.js'
import {
  apply,
  conjunction,
  type Expression,
  type QueryShape,
  type SelectShape,
  type SourceId,
} from '../../shape/query-shape.js'
import { hasQuery } from '../../shape/rewrite-query.js'
import { type Column, isSameExpression, reads, replaceColumnsIn } from '../column-references.js'
import { isRowSet } from '../duplicate-insensitivity.js'
import { blockOf, type JoinBlock, sourcesOf, withBlock } from '../join-block.js'
import { isStable } from '../known-functions.js'
import { isNotNull } from '../nullability.js'
import { createSameValueTest } from '../same-value-test.js'
import { declaredType, type Facts } from '../table-facts.js'
import { existsOfQuery } from './in-to-exists.js'
import { hasTotalOrder } from './simplify-scalar-subqueries.js'

/**
 * Splits EXISTS over tables that are related only through the row around them into an EXISTS of each. Conditions on that
 * row alone are moved out of EXISTS; and EXISTS of the row itself, found again by its key, becomes the conditions on it.
 */
export function splitExists(query: QueryShape, facts: Facts): Expression | undefined {
  if (query.kind !== 'select' || !isRowSet(query) || query.from === undefined) return undefined
  const block = blockOf(query)
  if (block.lefts.length > 0 || !block.where.every(isStable)) return undefined
  const nodes = block.items.filter(
    (item): item is LeafNode => item.kind !== 'kept' && item.extras.length === 0,
  )
  if (nodes.length !== block.items.length) return undefined
  const where = nodes.length > 1 || block.where.some(hasQuery) ? boundToOuter(block, facts) : block.where
  const own = sourcesOf(block)
  const [free, tied] = [where.filter((one) => !reads(one, own)), where.filter((one) => reads(one, own))]
  const parts = componentsOf(nodes, tied)
  const tests = parts.map((part) => testOf(query, part, tied, facts))
  const isSame = parts.length === 1 && free.length === 0 && tests.every(({ isRow }) => !isRow)
  if (isSame) return undefined
  const all = [...free, ...tests.map(({ test }) => test)]
  const [only] = all
  return all.length === 1 ? only : apply('and', ...all)
}

/** The conditions, in which columns of two tables that both equal a value of the row around them are compared with that. */
function boundToOuter({ where, ...block }: JoinBlock, facts: Facts): readonly Expression[] {
  const own = sourcesOf(block)
  const isOwn = (value: Expression | undefined): value is Column =>
    value?.kind === 'column' && value.source !== undefined && own.has(value.source)
  const isOuter = (value: Expression | undefined): value is Column =>
    value?.kind === 'column' && value.source !== undefined && !own.has(value.source)
  const haveOneType = createSameValueTest(facts)
  const areAlike = (a: Column, b: Column): boolean => {
    if (isSameColumn(a, b, facts)) return true
    // With two databases, it would have to be assumed for either of them.
    const isOpen = declaredType(a, facts) === undefined || declaredType(b, facts) === undefined
    return !(facts.assumptions.isCrossDialect && isOpen) && haveOneType(a, b)
  }
  const known: { readonly column: Column; readonly value: Column }[] = []
  const outerOf = (column: Column): Column | undefined =>
    known.find((one) => isSameExpression(one.column, column))?.value
  let open = where.flatMap((condition): (readonly [Column, Column])[] => {
    const [a, b] = condition.kind === 'apply' && condition.op === '=' ? condition.args : []
    if (isOwn(a) && isOuter(b) && outerOf(a) === undefined) known.push({ column: a, value: b })
    if (isOwn(b) && isOuter(a) && outerOf(b) === undefined) known.push({ column: b, value: a })
    return isOwn(a) && isOwn(b) && a.source !== b.source ? [[a, b]] : []
  })
  const replaced = new Map<readonly [Column, Column], Expression>()
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    for (const pair of open) {
      const [a, b] = pair
      const [given, other] = outerOf(a) === undefined ? [b, a] : [a, b]
      const value = outerOf(given)
      if (value === undefined || !areAlike(given, value) || !areAlike(given, other)) continue
      replaced.set(pair, apply('=', other, value))
      known.push({ column: other, value })
      open = open.filter((rest) => rest !== pair)
      isChanged = true
    }
  }
  const pairs = [...replaced]
  // A condition on the outer row does not have to be expressed through this table.
  const there = (column: Column): Expression | undefined => {
    const value = isOwn(column) ? outerOf(column) : undefined
    return value !== undefined && areAlike(column, value) ? value : undefined
  }
  return where.map((condition) => {
    if (hasQuery(condition)) return replaceColumnsIn(condition, there)
    const args = condition.kind === 'apply' && condition.op === '=' ? condition.args : []
    return pairs.find(([[a, b]]) => args[0] === a && args[1] === b)?.[1] ?? condition
  })
}

/** A column of one table, in two of its rows. */
function isSameColumn(a: Column, b: Column, { names }: Facts): boolean {
  const table = a.source === undefined ? undefined : names.get(a.source)
  return table !== undefined && b.source !== undefined && table === names.get(b.source) && a.name === b.name
}

/** Tables that conditions compare with one another. */
function componentsOf(
  nodes: readonly LeafNode[],
  conditions: readonly Expression[],
): readonly (readonly LeafNode[])[] {
  const parts: LeafNode[][] = nodes.map((node) => [node])
  const partOf = (id: SourceId): LeafNode[] | undefined =>
    parts.find((part) => part.some((node) => node.id === id))
  for (const condition of conditions) {
    const read = nodes.filter((node) => reads(condition, new Set([node.id])))
    const [first, ...others] = read
    for (const other of others) {
      const [into, from] = [first && partOf(first.id), partOf(other.id)]
      if (into === undefined || from === undefined || into === from) continue
      into.push(...from)
      parts.splice(parts.indexOf(from), 1)
    }
  }
  return parts
}

/** Whether there is a row of these tables; of the row itself, what it asks. */
function testOf(
  query: SelectShape,
  part: readonly LeafNode[],
  conditions: readonly Expression[],
  facts: Facts,
): { readonly test: Expression; readonly isRow: boolean } {
  const ids = new Set(part.map(({ id }) => id))
  const where = conditions.filter((condition) => reads(condition, ids))
  const row = part.length === 1 && part[0] !== undefined ? ofRowItself(part[0], where, facts) : undefined
  if (row !== undefined) return { test: row, isRow: true }
  const inner = withBlock(query, { items: part, lefts: [], where })
  return {
    test: existsOfQuery({
      ...inner,
      outputs: [],
      names: [],
      distinct: false,
      orderBy: [],
      positional: false,
    }),
    isRow: false,
  }
}

/** Returns the conditions that EXISTS puts on the outer row, which it finds again by its key in the row's own table. */
function ofRowItself(node: LeafNode, where: readonly Expression[], facts: Facts): Expression | undefined {
  const table = node.kind === 'table' ? facts.tables.get(node.id) : undefined
  if (node.kind !== 'table' || table === undefined) return undefined
  const equations = where.flatMap(
    (condition): { readonly condition: Expression; readonly name: string; readonly source: SourceId }[] => {
      const [a, b] = condition.kind === 'apply' && condition.op === '=' ? condition.args : []
      if (a?.kind !== 'column' || b?.kind !== 'column' || a.name !== b.name) return []
      const other = a.source === node.id ? b.source : b.source === node.id ? a.source : undefined
      return other === undefined || other === node.id ? [] : [{ condition, name: a.name, source: other }]
    },
  )
  for (const source of new Set(equations.map((equation) => equation.source))) {
    if (facts.names.get(source) !== node.name || facts.nullable.has(source) || !facts.tables.has(source))
      continue
    const own = equations.filter((equation) => equation.source === source)
    const isKey = (columns: readonly string[]): boolean =>
      columns.every(
        (name) => table.columns.get(name)?.notNull === true && own.some((equation) => equation.name === name),
      )
    if (!table.keys.some(({ columns }) => isKey(columns))) continue
    const ofRow = where.map((condition) =>
      replaceColumnsIn(condition, (column) =>
        column.source === node.id ? { ...column, source } : undefined,
      ),
    )
    const rest = ofRow.flatMap((condition) => ofOneColumn(condition, facts) ?? [condition])
    return toIsTrue(conjunction(rest) ?? trueLiteral)
  }
  return undefined
}

/** A column compared with itself asks for a value, of which there is one where it is never NULL; undefined for all else. */
function ofOneColumn(condition: Expression, facts: Facts): readonly Expression[] | undefined {
  const [a, b] = condition.kind === 'apply' ? condition.args : []
  if (condition.kind !== 'apply' || a?.kind !== 'column' || b === undefined || !isSameExpression(a, b))
    return undefined
  if (condition.op === 'is_not_distinct') return []
  if (condition.op !== '=' || !hasTotalOrder(a, facts)) return undefined
  return isNotNull(a, facts, []) ? [] : [apply('not', apply('is_null', a))]
}
