import {
  type Expression,
  firstSelect,
  isStar,
  type QueryShape,
} from '../../../../src/sql/shape/query-shape.js'
import { aggregates, type Outline, sorted } from './query-outline.js'

/** The outline of a query as our own reader of polyglot's tree sees it. */
export function shapeOutline(query: QueryShape): Outline {
  const found = { tables: [], columns: [], literals: [], aggregates: [], joins: [], sets: [] } as Record<
    'tables' | 'columns' | 'literals' | 'aggregates' | 'joins' | 'sets',
    string[]
  >
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(visit)
      return
    }
    if (typeof node !== 'object' || node === null) return
    const { kind } = node as { kind?: unknown }
    if (kind === 'table') visitTable(node as { name: string })
    else if (kind === 'column') visitColumn(node as Expression & { kind: 'column' })
    else if (kind === 'literal') visitLiteral(node as Expression & { kind: 'literal' })
    else if (kind === 'apply') visitCall(node as Expression & { kind: 'apply' })
    else if (kind === 'join') {
      const { join } = node as { join: string }
      if (/^(left|right|full)/u.test(join)) found.joins.push(join.split(/[ _]/u)[0] ?? join)
    } else if (kind === 'set') {
      const { operation, all } = node as QueryShape & { kind: 'set' }
      if (/^(union|intersect|except)$/u.test(operation)) found.sets.push(operation + (all ? ' all' : ''))
      if (operation === 'recursive') found.sets.push(`union${all ? ' all' : ''}`)
    }
    for (const [key, value] of Object.entries(node)) {
      if (key !== 'limit' && key !== 'offset') visit(value)
    }
  }
  const visitTable = ({ name }: { name: string }): void => {
    // What a recursive query calls the rows that it has so far.
    if (name !== '(rows so far)') found.tables.push(lastPart(name))
  }
  const visitColumn = ({ name }: { name: string }): void => {
    if (name !== '*') found.columns.push(lastPart(name))
  }
  const visitLiteral = ({ type, value }: { type: string; value: string }): void => {
    if (/^(number|text|date|time)/u.test(type)) found.literals.push(literalText(value))
  }
  const visitCall = ({ op }: { op: string }): void => {
    if (aggregates.has(op)) found.aggregates.push(op)
  }
  visit(query)
  const select = firstSelect(query)
  return {
    tables: sorted(found.tables),
    columns: sorted(found.columns),
    literals: sorted(found.literals),
    aggregates: sorted(found.aggregates),
    joins: sorted(found.joins),
    sets: sorted(found.sets),
    outputs: select === undefined ? 0 : select.outputs.some(isStar) ? 'star' : select.outputs.length,
    distinct: select?.distinct ?? false,
    groupBy: (select?.groupBy.length ?? 0) > 0,
    having: select?.having !== undefined,
    orderBy: query.orderBy.map((item) => item.descending),
    limit: boundText(query.limit),
    offset: boundText(query.offset),
  }
}

function boundText(bound: Expression | undefined): string | undefined {
  if (bound === undefined) return undefined
  return bound.kind === 'literal' ? bound.value : 'expression'
}

export function lastPart(name: string): string {
  return (name.split('.').at(-1) ?? name).replace(/["`]/gu, '').toLowerCase()
}

/** `1.50` and `1.5` are one number to both. */
export function literalText(value: string): string {
  return /^-?[\d.]+(e[+-]?\d+)?$/iu.test(value)
    ? String(Math.abs(Number(value)))
    : value.replace(/\\(?=')|'(?=')/gu, '')
}
