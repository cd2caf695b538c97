import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression } from '../shape/query-shape.js'
import type { Meaning } from './table.js'

/** Dialects whose integers have no sign once bits are counted: -1 is 18446744073709551615. */
const unsigned: ReadonlySet<Dialect> = new Set(['mysql'])

function signed(name: string, arity: number): Meaning {
  return (args, dialect) =>
    args.length === arity && !unsigned.has(dialect) ? apply(name, ...args) : undefined
}

/** `~x`. */
export const complement: Meaning = signed('bits_turned', 1)

/** `x << 2`. */
export const shiftedLeft: Meaning = signed('bits_left', 2)

/** `x >> 2` that keeps the sign of x. */
export const shiftedRight: Meaning = signed('bits_right', 2)

/** `x >> 2` that fills with zeros, so that what is negative becomes large. */
export function shiftedRightFromZero(args: readonly Expression[]): Expression | undefined {
  return args.length === 2 ? apply('bits_right_from_zero', ...args) : undefined
}
