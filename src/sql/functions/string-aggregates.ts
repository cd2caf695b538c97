import { apply, type Expression } from '../shape/query-shape.js'
import { labelledPart, textLiteral } from './function-table.js'

/** The texts of a group as one: `string_agg(x, ',')`, with DISTINCT and ORDER BY as they are written. */
export function stringAgg(args: readonly Expression[], otherwise: string): Expression | undefined {
  const [value, second] = args
  if (value === undefined) return undefined
  const others = args.slice(1).filter((arg) => arg !== second || isLabelled(arg))
  const isWritten = second !== undefined && !isLabelled(second)
  const separator = isWritten ? second : (labelledPart(args, 'separator') ?? textLiteral(otherwise))
  const rest = others.filter((arg) => !(arg.kind === 'apply' && arg.op === 'field:separator'))
  return rest.every(isOrder) ? apply('string_agg', value, separator, ...rest) : undefined
}

/**
 * `array_to_string(array_agg(x), ',')` as `string_agg(x, ',')`: where there is nothing but NULLs, the one is an empty text
 * and the other NULL.
 */
export function arrayToStringAgg(expression: Expression, isNeverNull: () => boolean): Expression {
  if (expression.kind !== 'apply' || expression.op !== 'array_to_string') return expression
  const [list, separator, ...rest] = expression.args
  if (list?.kind !== 'apply' || list.op !== 'array_agg' || separator === undefined || rest.length > 0)
    return expression
  const [value, ...order] = list.args
  return value !== undefined && order.every(isOrder) && isNeverNull()
    ? apply('string_agg', value, separator, ...order)
    : expression
}

/** `LISTAGG(x, ',') WITHIN GROUP (ORDER BY y)`. */
export function withinGroup(args: readonly Expression[]): Expression | undefined {
  const [call, ...order] = args
  if (call?.kind !== 'apply' || call.op !== 'string_agg' || call.args.length !== 2) return undefined
  return order.every(isOrder) ? apply('string_agg', ...call.args, ...order) : undefined
}

/** SQLite's `group_concat(x, ',')` has its separator second; the parser reads it as in MySQL, as one more text. */
export function groupConcatOfSqlite(args: readonly Expression[]): Expression | undefined {
  const [value, ...rest] = args
  const isPair = value?.kind === 'apply' && value.op === 'concat_given' && value.args.length === 2
  return isPair && rest.length === 0 ? stringAgg(value.args, ',') : stringAgg(args, ',')
}

function isLabelled(arg: Expression): boolean {
  return arg.kind === 'apply' && arg.op.startsWith('field:')
}

function isOrder(arg: Expression): boolean {
  return arg.kind === 'apply' && arg.op === 'field:order_by'
}
