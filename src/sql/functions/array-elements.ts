import { apply, type Expression } from '../shape/query-shape.js'
import { firstSplitElement } from './array-slices.js'
import { labelledPart, numberLiteral } from './function-table.js'

/** Calls that surely give arrays. */
const arrays: ReadonlySet<string> = new Set(['array', 'string_split', 'array_agg', 'array_sort', 'series'])

function positionLiteral(index: Expression | undefined): number | undefined {
  const isPlace = index?.kind === 'literal' && index.type === 'number' && /^\d{1,6}$/u.test(index.value)
  return isPlace ? Number(index.value) : undefined
}

function elementAccess(
  op: string,
  list: Expression | undefined,
  place: number | undefined,
): Expression | undefined {
  if (list === undefined || place === undefined || place < 1) return undefined
  const value = numberLiteral(String(place))
  return firstSplitElement(list, value) ?? apply(op, list, value)
}

/** `a[1]` is the first element, and NULL where there is none. */
export function subscriptFromOne(args: readonly Expression[]): Expression | undefined {
  return args.length === 2
    ? elementAccess('element', args[0], positionLiteral(labelledPart(args, 'index')))
    : undefined
}

/** `a[1]` is the first element, and an error where there is none. */
export function subscriptFromOneOrError(args: readonly Expression[]): Expression | undefined {
  return args.length === 2
    ? elementAccess('element_or_error', args[0], positionLiteral(labelledPart(args, 'index')))
    : undefined
}

/** `a[0]` is the first element of what surely is an array. */
export function subscriptFromZero(args: readonly Expression[]): Expression | undefined {
  const [list] = args
  const place = positionLiteral(labelledPart(args, 'index'))
  const isArray = list?.kind === 'apply' && arrays.has(list.op)
  return args.length === 2 && isArray && place !== undefined
    ? elementAccess('element', list, place + 1)
    : undefined
}

/** `ELEMENT_AT(a, 1)`. */
export function elementAt([list, index, ...rest]: readonly Expression[]): Expression | undefined {
  return rest.length === 0 ? elementAccess('element', list, positionLiteral(index)) : undefined
}

const bounds: ReadonlyMap<string, readonly [op: string, first: 0 | 1]> = new Map([
  ['offset', ['element_or_error', 0]],
  ['ordinal', ['element_or_error', 1]],
  ['safe_offset', ['element', 0]],
  ['safe_ordinal', ['element', 1]],
])

/** BigQuery's `a[OFFSET(0)]`, `a[SAFE_ORDINAL(1)]`. */
export function subscriptByOffset(args: readonly Expression[]): Expression | undefined {
  const index = labelledPart(args, 'index')
  // The names are BigQuery's alone, and carry that.
  const [op, first] = index?.kind === 'apply' ? (bounds.get(index.op.replace(/ of .*$/u, '')) ?? []) : []
  const place =
    index?.kind === 'apply' && index.args.length === 1 ? positionLiteral(index.args[0]) : undefined
  if (op === undefined || first === undefined || place === undefined || args.length !== 2) return undefined
  return elementAccess(op, args[0], place + 1 - first)
}

/** `GENERATE_ARRAY(1, 5)`; where the end comes before the start dialects go down, or nowhere. */
export function ascendingSeries([first, last, ...rest]: readonly Expression[]): Expression | undefined {
  const [from, to] = [positionLiteral(first), positionLiteral(last)]
  return first !== undefined &&
    last !== undefined &&
    rest.length === 0 &&
    from !== undefined &&
    to !== undefined &&
    from <= to
    ? apply('series', first, last)
    : undefined
}
