import { type PrintedQuery, printQuery } from '../../print/print.js'
import type { QueryShape, SetShape } from '../../shape/query-shape.js'

/** More operands are not compared. */
const maxOperands = 24

/** A UNION without duplicates has no more rows for having an operand twice. */
export function dropRepeatedOperands(query: SetShape): QueryShape {
  const { operands } = query
  if (query.operation !== 'union' || query.all || query.extras.length > 0) return query
  if (operands.length < 2 || operands.length > maxOperands || operands.some(isCut)) return query
  const texts = new Set<string>()
  const kept = operands.filter((operand) => {
    const text = textOf(printQuery(operand, { qualify: false }))
    const isRepeated = text !== undefined && texts.has(text)
    if (text !== undefined) texts.add(text)
    return !isRepeated
  })
  const [first] = kept
  if (kept.length === operands.length || first === undefined) return query
  if (kept.length > 1) return { ...query, operands: kept }
  const isBare = query.orderBy.length === 0 && query.limit === undefined && query.offset === undefined
  return isBare && first.kind === 'select' ? { ...first, distinct: true } : query
}

/** Which of its rows a query with LIMIT has may differ each time. */
function isCut(query: QueryShape): boolean {
  return query.limit !== undefined || query.offset !== undefined || query.extras.length > 0
}

/** Two queries around it may have columns of one name: those that the operand reads from there are not distinguished. */
function textOf({ text, outputs }: PrintedQuery): string | undefined {
  return text.includes('lateral.') ? undefined : `${text} ${outputs?.join(', ') ?? ''}`
}
