import type { Expression } from '../shape/query-shape.js'
import { hasExactly, isTrue, type LabelledParts, partsOf, singlePart, wordOf } from './labelled-parts.js'

type Print = (part: Expression) => string

/** A call of which the parser knows no more than name and arguments. */
export function printNamedCall(parts: LabelledParts, print: Print): string | undefined {
  const name = wordOf(singlePart(parts, 'name'))
  const args = parts.labelled.get('args') ?? []
  const labels = ['name', ...(args.length > 0 ? ['args'] : [])]
  return hasExactly(parts, 0, ...labels) && name !== undefined
    ? `${name.toLowerCase()}(${args.map(print).join(', ')})`
    : undefined
}

/** An aggregate of rows in an order. */
export function printWithinGroup({ plain, labelled }: LabelledParts, print: Print): string | undefined {
  const [call, ...others] = plain
  if (call === undefined || others.length > 0) return undefined
  const keys = labelled.size === 1 ? labelled.get('order_by') : undefined
  return keys === undefined ? undefined : `${print(call)} WITHIN GROUP (${orderBy(keys, print)})`
}

function orderBy(keys: readonly Expression[], print: Print): string {
  return `ORDER BY ${keys.map((key) => orderKey(key, print) ?? print(key)).join(', ')}`
}

/** A key as the parser notes it: the value, `desc` and `nulls_first` where they are written. */
function orderKey(key: Expression, print: Print): string | undefined {
  if (key.kind !== 'apply' || key.op !== 'record') return undefined
  const parts = partsOf(key.args)
  const value = singlePart(parts, 'this')
  const [desc, first] = [singlePart(parts, 'desc'), singlePart(parts, 'nulls_first')]
  const labels = ['this', ...(desc ? ['desc'] : []), ...(first ? ['nulls_first'] : [])]
  if (value === undefined || !hasExactly(parts, 0, ...labels) || (desc && !isTrue(desc))) return undefined
  const nulls = first === undefined ? '' : ` NULLS ${isTrue(first) ? 'FIRST' : 'LAST'}`
  return `${print(value)}${desc ? ' DESC' : ''}${nulls}`
}

/** A call with what SQL writes behind its arguments or after it. */
export function printModifiedCall(op: string, args: readonly Expression[], print: Print): string | undefined {
  const { plain, labelled } = partsOf(args)
  const known = ['filter', 'ignore_nulls', 'order_by', 'separator']
  if (op === 'over' || labelled.size === 0 || ![...labelled.keys()].every((label) => known.includes(label)))
    return undefined
  const parts = { plain, labelled }
  const [filter, separator] = [singlePart(parts, 'filter'), singlePart(parts, 'separator')]
  const keys = labelled.get('order_by')
  const isIgnoring = isTrue(singlePart(parts, 'ignore_nulls'))
  if (labelled.has('ignore_nulls') && !isIgnoring) return undefined
  if (labelled.has('filter') && filter === undefined) return undefined
  if (labelled.has('separator') && separator === undefined) return undefined
  const inside = [
    plain.map((part) => (wordOf(part) === '*' ? '*' : print(part))).join(', '),
    ...(separator === undefined ? [] : [`SEPARATOR ${print(separator)}`]),
    ...(keys === undefined ? [] : [orderBy(keys, print)]),
  ]
  const after = `${isIgnoring ? ' IGNORE NULLS' : ''}${filter === undefined ? '' : ` FILTER (WHERE ${print(filter)})`}`
  return `${op}(${inside.join(' ')})${after}`
}
