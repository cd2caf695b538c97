import { apply, type Expression } from '../shape/query-shape.js'
import { labelledPart, numberLiteral } from './function-table.js'

function integerOf(value: Expression | undefined): number | undefined {
  const written = value?.kind === 'literal' && value.type === 'number' ? value.value : ''
  return /^\d{1,9}$/u.test(written) ? Number(written) : undefined
}

function arrayPart(list: Expression | undefined, first: number, last: number): Expression | undefined {
  return list === undefined || first < 1 || last < first - 1
    ? undefined
    : apply('array_part', list, numberLiteral(String(first)), numberLiteral(String(last)))
}

/** `SLICE(a, 2, 3)`: three elements from the second, fewer where there are no more. */
export function sliceByCount([list, start, count, ...rest]: readonly Expression[]): Expression | undefined {
  const [from, size] = [integerOf(start), integerOf(count)]
  return from === undefined || size === undefined || rest.length > 0
    ? undefined
    : arrayPart(list, from, from + size - 1)
}

/** `LIST_SLICE(a, 2, 4)`: from the second to the fourth element. */
export function sliceByBounds([list, start, end, ...rest]: readonly Expression[]): Expression | undefined {
  const [from, to] = [integerOf(start), integerOf(end)]
  return from === undefined || to === undefined || rest.length > 0 ? undefined : arrayPart(list, from, to)
}

/** `a[2:4]`. */
export function bracketSlice(args: readonly Expression[]): Expression | undefined {
  const [list] = args
  const [start, end] = [labelledPart(args, 'start'), labelledPart(args, 'end')]
  return list !== undefined && start !== undefined && end !== undefined && args.length === 3
    ? sliceByBounds([list, start, end])
    : undefined
}

/** `RIGHT(x, 3)`; of a count that is negative dialects make different things. */
export function rightSubstring(args: readonly Expression[]): Expression | undefined {
  const [value, count] = args
  return value === undefined || args.length !== 2 || integerOf(count) === undefined
    ? undefined
    : apply('right', ...args)
}

/** `substr(x, -3)` where it is all of a text that is shorter, as `right(x, 3)` is. */
export function negativeSubstringToRight([value, start, ...rest]: readonly Expression[]):
  | Expression
  | undefined {
  const [size] = start?.kind === 'apply' && start.op === 'neg' ? start.args : []
  return value === undefined || size === undefined || rest.length > 0
    ? undefined
    : rightSubstring([value, size])
}

/** The first part of a text that is split is there always. */
export function firstSplitElement(
  list: Expression | undefined,
  place: Expression | undefined,
): Expression | undefined {
  const isFirst = integerOf(place) === 1
  return isFirst && list?.kind === 'apply' && list.op === 'string_split' && list.args.length === 2
    ? apply('split_part_or_empty', ...list.args, numberLiteral('1'))
    : undefined
}
