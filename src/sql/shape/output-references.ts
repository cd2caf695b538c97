import type { Dialect } from '../../enums/dialect.js'
import { asNode, asObject } from './ast.js'
import { type Expression, isStar } from './query-shape.js'

/** `GROUP BY 2`, `ORDER BY 2`: the second output. After `*` the position stays a number. */
export function resolveOutputPosition(key: Expression, outputs: readonly Expression[]): Expression {
  if (key.kind !== 'literal' || key.type !== 'number') return key
  const position = Number(key.value)
  const output = Number.isInteger(position) ? outputs[position - 1] : undefined
  return output === undefined || outputs.slice(0, position).some(isStar) ? key : output
}

/** A bare name; in SQLite one with a collation too. */
export function isBareName(value: unknown, dialect: Dialect): boolean {
  const node = asNode(value)
  if (node?.tag === 'collation' && dialect === 'sqlite')
    return isBareName(asObject(node.body)?.['this'], dialect)
  const table = asObject(node?.body)?.['table']
  return node?.tag === 'column' && (table === null || table === undefined)
}
