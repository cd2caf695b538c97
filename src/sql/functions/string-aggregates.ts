import { apply, type Expression } from '../shape/query-shape.js'
import { partOf, text } from './table.js'

/** The texts of a group as one: `string_agg(x, ',')`, with DISTINCT and ORDER BY as they are written. */
export function textsJoined(args: readonly Expression[], otherwise: string): Expression | undefined {
  const [value, second] = args
  if (value === undefined) return undefined
  const others = args.slice(1).filter((arg) => arg !== second || isLabelled(arg))
  const isWritten = second !== undefined && !isLabelled(second)
  const separator = isWritten ? second : (partOf(args, 'separator') ?? text(otherwise))
  const rest = others.filter((arg) => !(arg.kind === 'apply' && arg.op === 'field:separator'))
  return rest.every(isOrder) ? apply('string_agg', value, separator, ...rest) : undefined
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
  return isPair && rest.length === 0 ? textsJoined(value.args, ',') : textsJoined(args, ',')
}

function isLabelled(arg: Expression): boolean {
  return arg.kind === 'apply' && arg.op.startsWith('field:')
}

function isOrder(arg: Expression): boolean {
  return arg.kind === 'apply' && arg.op === 'field:order_by'
}
