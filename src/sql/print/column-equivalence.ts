import type { Expression } from '../shape/query-shape.js'
import { type Column, type PrintScope, printExpression } from './expressions.js'

/** Whether two columns that a condition makes equal hold the same value, so that one may stand for the other. */
export type SameValue = (a: Column, b: Column) => boolean

/** Columns that conditions make equal to one another. */
export interface ColumnEquivalence {
  readonly representatives: ReadonlyMap<string, Column>
  /** `a = b = c` for each class. */
  readonly texts: readonly string[]
  /** The conditions that the classes do not say. */
  readonly others: readonly Expression[]
}

export function columnKey(column: Column): string {
  return `${column.source}.${column.output ?? column.name}`
}

/**
 * Classes of the columns that the conditions of a SELECT make equal; each is represented by the column whose text
 * comes first, so that it does not matter which of them a query names.
 */
export function columnEquivalenceOf(
  conditions: readonly Expression[],
  isSame: SameValue,
  scope: PrintScope,
  outer: ReadonlyMap<string, Column>,
): ColumnEquivalence {
  const classes = new Set<Column[]>()
  const classOf = new Map<string, Column[]>()
  const others: Expression[] = []
  for (const condition of conditions) {
    const [a, b] = condition.kind === 'apply' && condition.op === '=' ? condition.args : []
    if (a?.kind !== 'column' || b?.kind !== 'column' || !isBound(a) || !isBound(b) || !isSame(a, b)) {
      others.push(condition)
      continue
    }
    const pair = [outer.get(columnKey(a)) ?? a, outer.get(columnKey(b)) ?? b]
    const known = [...new Set(pair.map((column) => classOf.get(columnKey(column)) ?? []))]
    // The smaller joins the larger, or a chain of thousands would be copied at each of its links.
    const [members = [], smaller = []] = known.sort((one, other) => other.length - one.length)
    const joining = [...pair, ...smaller]
    for (const column of joining) classOf.set(columnKey(column), members)
    members.push(...joining)
    for (const one of known) classes.delete(one)
    classes.add(members)
  }
  const represent = new Map(outer)
  const texts: string[] = []
  for (const members of classes) {
    const byText = new Map(
      members.map((member) => [printExpression(member, { ...scope, represented: undefined }), member]),
    )
    const sorted = [...byText.keys()].sort()
    const first = byText.get(sorted[0] ?? '')
    if (first === undefined) continue
    for (const member of members) represent.set(columnKey(member), first)
    const keys = new Set(members.map(columnKey))
    for (const [key, column] of outer) if (keys.has(columnKey(column))) represent.set(key, first)
    // A column that equals itself is not NULL.
    texts.push(sorted.length === 1 ? `${sorted[0]} IS NOT NULL` : sorted.join(' = '))
  }
  return { representatives: represent, texts, others }
}

function isBound(column: Column): boolean {
  return column.source !== undefined && column.maybeText === undefined && column.name !== '*'
}
