import type { Dialect } from '../../enums/dialect.js'
import { isNull } from '../conditions/boolean-expressions.js'
import { isNumberLiteral, labelledPart } from '../functions/function-table.js'
import { plainAggregates } from '../relational/known-functions.js'
import { apply, type Expression, field, word } from '../shape/query-shape.js'

type Call = Expression & { readonly kind: 'apply' }

/**
 * Windows without what they would do unasked: `lag(x, 1)`, and the frame that an order has by itself. An aggregate over a
 * frame of all rows needs no order.
 */
export function normalizeWindowFrame(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply') return expression
  if (expression.op === 'lag' || expression.op === 'lead') return plainOffset(expression)
  if (expression.op !== 'over') return expression
  const frame = expression.args.find((arg) => isField(arg, 'frame'))
  if (frame === undefined && dialect === 'snowflake') return withWholeFrame(expression)
  return frame === undefined ? expression : withPlainFrame(expression, frame, dialect)
}

function isField(arg: Expression, name: string): boolean {
  return arg.kind === 'apply' && arg.op === `field:${name}`
}

function plainOffset(call: Call): Expression {
  const kept = call.args.filter((arg) => {
    const [value] = arg.kind === 'apply' ? arg.args : []
    return (
      !(isField(arg, 'offset') && isNumberLiteral(value, '1')) && !(isField(arg, 'default') && isNull(value))
    )
  })
  return kept.length === call.args.length ? call : { ...call, args: kept }
}

/** Snowflake's LAST_VALUE and NTH_VALUE look at all rows unless told otherwise, as FIRST_VALUE does where it passes over NULLs. */
function withWholeFrame(over: Call): Expression {
  const [call] = over.args
  const hasOrder = over.args.some((arg) => isField(arg, 'order_by'))
  if (call?.kind !== 'apply' || !hasOrder) return over
  const isWhole =
    call.op === 'last_value' || call.op === 'nth_value' || (call.op === 'first_value' && call.args.length > 1)
  return isWhole ? { ...over, args: [...over.args, field('frame', apply('record', ...wholeFrame))] } : over
}

const wholeFrame: readonly Expression[] = [
  field('end', word('UnboundedFollowing')),
  field('kind', word('Rows')),
  field('start', word('UnboundedPreceding')),
]

function withPlainFrame(over: Call, frame: Expression, dialect: Dialect): Expression {
  const [call] = over.args
  const [record] = frame.kind === 'apply' ? frame.args : []
  if (call?.kind !== 'apply' || record?.kind !== 'apply' || record.op !== 'record') return over
  if (!record.args.every((part) => ['kind', 'start', 'end'].some((name) => isField(part, name)))) return over
  const wordOf = (name: string): string | undefined => {
    const value = labelledPart(record.args, name)
    return value?.kind === 'literal' && value.type === 'word' ? value.value : undefined
  }
  const isFromStart = wordOf('start') === 'UnboundedPreceding'
  const end = labelledPart(record.args, 'end') === undefined ? 'CurrentRow' : wordOf('end')
  const without = (...names: readonly string[]): Expression => ({
    ...over,
    args: over.args.filter((arg) => !names.some((name) => isField(arg, name))),
  })
  if (!isFromStart) return withEnd(over, frame, record)
  if (end === undefined) return over
  const hasOrder = over.args.some((arg) => isField(arg, 'order_by'))
  const isAggregate = plainAggregates.has(call.op)
  if (end === 'UnboundedFollowing') {
    if (isAggregate) return without('frame', 'order_by')
    return hasOrder ? withFrame(over, frame, wholeFrame) : without('frame')
  }
  if (end !== 'CurrentRow') return over
  // Without an order, rows follow one another in ROWS, and all are peers in RANGE.
  const isDefault = wordOf('kind') === 'Range' && (isAggregate || dialect !== 'snowflake')
  if (isDefault) return without('frame')
  const full = [
    field('end', word('CurrentRow')),
    field('kind', word(wordOf('kind') ?? '')),
    field('start', word('UnboundedPreceding')),
  ]
  return labelledPart(record.args, 'end') !== undefined ? over : withFrame(over, frame, full)
}

function withFrame(over: Call, frame: Expression, parts: readonly Expression[]): Call {
  const written = field('frame', apply('record', ...parts))
  return { ...over, args: over.args.map((arg) => (arg === frame ? written : arg)) }
}

/** `ROWS 6 PRECEDING` ends at the current row. */
function withEnd(over: Call, frame: Expression, record: Call): Expression {
  if (labelledPart(record.args, 'end') !== undefined) return over
  const parts = [...record.args, field('end', word('CurrentRow'))]
  const order = (part: Expression): string => (part.kind === 'apply' ? part.op : '')
  const full = apply('record', ...parts.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)))
  return { ...over, args: over.args.map((arg) => (arg === frame ? field('frame', full) : arg)) }
}
