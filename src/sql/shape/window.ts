import { type AstObject, asIdentifier, asList, asObject, semanticEntries } from './ast.js'
import { foldName } from './identifier-folding.js'
import { apply, type Expression, field, type OrderItem, word } from './query-shape.js'
import type { ReadContext } from './read-context.js'
import type { Scope } from './scope.js'
import { readValue } from './unmodelled-nodes.js'

/** `f() OVER (…)`; a named window is replaced by what it stands for. */
export function readWindow(body: AstObject, scope: Scope, context: ReadContext): Expression {
  const over = asObject(body['over']) ?? {}
  const window = expand(over, scope, context, 0)
  const partition = asList(window['partition_by']).map((part) => context.expression(part, scope))
  const order = asList(window['order_by']).map((item) => orderExpression(readOrderItem(item, scope, context)))
  const rest = semanticEntries(window, new Set(['partition_by', 'order_by']))
  return apply(
    'over',
    context.expression(body['this'], scope),
    ...(partition.length > 0 ? [field('partition_by', ...partition)] : []),
    ...(order.length > 0 ? [field('order_by', ...order)] : []),
    ...rest.map(([key, part]) => field(key, readValue(part, scope, context))),
    ...semanticEntries(body, new Set(['this', 'over'])).map(([key, part]) =>
      field(key, readValue(part, scope, context)),
    ),
  )
}

/** `OVER w` and `OVER (w ORDER BY …)` copy the window and add to it. */
function expand(over: AstObject, scope: Scope, context: ReadContext, depth: number): AstObject {
  const name = asIdentifier(over['window_name'])
  const base = name === undefined ? undefined : scope.windows.get(foldName(name, context.dialect))
  if (base === undefined || depth > 10) return over
  const own = Object.fromEntries(semanticEntries(over, new Set(['window_name', 'alias'])))
  return { ...expand(base, scope, context, depth + 1), ...own }
}

export function readOrderItem(value: unknown, scope: Scope, context: ReadContext): OrderItem {
  const item = asObject(value) ?? {}
  const nullsFirst = item['nulls_first']
  return {
    by: context.expression(item['this'], scope),
    descending: item['desc'] === true,
    nullsFirst: typeof nullsFirst === 'boolean' ? nullsFirst : undefined,
    extras: semanticEntries(item, orderParts).map(([key, part]) =>
      field(key, readValue(part, scope, context)),
    ),
  }
}

const orderParts: ReadonlySet<string> = new Set(['this', 'desc', 'nulls_first'])

/** An ordering term as an expression, for windows. */
export function orderExpression(item: OrderItem): Expression {
  const nulls = item.nullsFirst === undefined ? [] : [word(item.nullsFirst ? 'nulls first' : 'nulls last')]
  return apply(item.descending ? 'desc' : 'asc', item.by, ...nulls, ...item.extras)
}
