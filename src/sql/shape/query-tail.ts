import { type AstObject, asList, asObject, semanticEntries } from './ast.js'
import {
  apply,
  type Expression,
  field,
  firstSelect,
  type OrderItem,
  type QueryShape,
  type SetShape,
  word,
} from './query-shape.js'
import type { ReadContext } from './read-context.js'
import { nestedScope, type Scope } from './scope.js'
import { limitOf, offsetOf, orderExtras } from './select.js'
import { readValue } from './unmodelled-nodes.js'
import { readOrderItem } from './window.js'

/** The parts of a query that follow its operands. */
type QueryTail = Pick<SetShape, 'orderBy' | 'limit' | 'offset' | 'extras'>

/** ORDER BY, LIMIT and OFFSET after a set operation or a parenthesis; they see only its outputs. */
export function readQueryTail(
  body: AstObject,
  bound: (key: string) => unknown,
  query: QueryShape,
  outer: Scope,
  context: ReadContext,
  known: ReadonlySet<string>,
): QueryTail {
  const scope = { ...nestedScope(outer), opaque: true }
  const names = firstSelect(query)?.names ?? []
  scope.aliases = new Map(
    names.flatMap((name, at) => (name === undefined ? [] : [[name, outputNumber(at + 1)]])),
  )
  const orderBy = asList(asObject(body['order_by'])?.['expressions']).map((item): OrderItem => {
    const order = readOrderItem(item, scope, context)
    const { by } = order
    return by.kind === 'literal' && by.type === 'number'
      ? { ...order, by: outputNumber(Number(by.value)) }
      : order
  })
  const read = (key: string): Expression | undefined => {
    const value = bound(key)
    return value === null || value === undefined ? undefined : context.expression(value, scope)
  }
  const limit = read('limit')
  return {
    orderBy,
    limit: limit && limitOf(limit),
    offset: offsetOf(read('offset')),
    extras: [
      ...orderExtras(body['order_by'], scope, context),
      ...semanticEntries(body, known).map(([key, part]) => field(key, readValue(part, scope, context))),
    ],
  }
}

function outputNumber(position: number): Expression {
  return apply('output', word(String(position)))
}
