import type { Expression } from '../shape/query-shape.js'
import { hasExactly, type LabelledParts, partsOf, singlePart, wordOf } from './labelled-parts.js'

/** A window's frame: `ROWS BETWEEN 1 PRECEDING AND CURRENT ROW`; undefined where it says more than that. */
export function printFrame(
  { plain, labelled }: LabelledParts,
  print: (part: Expression) => string,
): string | undefined {
  const [record] = plain
  if (plain.length !== 1 || labelled.size > 0 || record?.kind !== 'apply' || record.op !== 'record')
    return undefined
  const parts = partsOf(record.args)
  const exclude = wordOf(singlePart(parts, 'exclude'))
  const kind = wordOf(singlePart(parts, 'kind'))
  if (kind === undefined || !hasExactly(parts, 0, 'kind', 'start', 'end', ...(exclude ? ['exclude'] : [])))
    return undefined
  const [start, end] = [boundOf(singlePart(parts, 'start'), print), boundOf(singlePart(parts, 'end'), print)]
  if (start === undefined || end === undefined) return undefined
  const without = exclude === undefined ? '' : ` EXCLUDE ${spaced(exclude)}`
  return `${kind.toUpperCase()} BETWEEN ${start} AND ${end}${without}`
}

function boundOf(bound: Expression | undefined, print: (part: Expression) => string): string | undefined {
  const word = wordOf(bound)
  if (word !== undefined) return spaced(word)
  if (bound?.kind !== 'apply' || (bound.op !== 'Preceding' && bound.op !== 'Following')) return undefined
  const distance = distanceOf(bound.args, print)
  return distance === undefined ? undefined : `${distance} ${bound.op.toUpperCase()}`
}

/** The parser keeps what stands in a bound as it notes literals and intervals. */
function distanceOf(args: readonly Expression[], print: (part: Expression) => string): string | undefined {
  const parts = partsOf(args)
  const literal = singlePart(parts, 'literal')
  if (hasExactly(parts, 0, 'literal') && literal?.kind === 'apply' && literal.op === 'record') {
    const record = partsOf(literal.args)
    const value = wordOf(singlePart(record, 'value'))
    const isNumber =
      hasExactly(record, 0, 'literal_type', 'value') &&
      wordOf(singlePart(record, 'literal_type')) === 'number'
    return isNumber ? value : undefined
  }
  const interval = singlePart(parts, 'interval')
  if (!hasExactly(parts, 0, 'interval') || interval?.kind !== 'apply' || interval.op !== 'record')
    return undefined
  const record = partsOf(interval.args)
  const value = singlePart(record, 'this')
  return hasExactly(record, 0, 'this') && value !== undefined ? `INTERVAL ${print(value)}` : undefined
}

/** `UnboundedPreceding` as `UNBOUNDED PRECEDING`. */
function spaced(word: string): string {
  return word.replace(/(?<=[a-z])(?=[A-Z])/gu, ' ').toUpperCase()
}
