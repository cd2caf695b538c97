import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression } from '../shape/query-shape.js'
import type { FunctionTranslation } from './function-table.js'

/** Dialects whose integers have no sign once bits are counted: -1 is 18446744073709551615. */
const unsigned: ReadonlySet<Dialect> = new Set(['mysql'])

function signedBitOperation(name: string, arity: number): FunctionTranslation {
  return (args, dialect) =>
    args.length === arity && !unsigned.has(dialect) ? apply(name, ...args) : undefined
}

/** `~x`. */
export const bitwiseNot: FunctionTranslation = signedBitOperation('bits_turned', 1)

/** `x << 2`. */
export const shiftLeft: FunctionTranslation = signedBitOperation('bits_left', 2)

/** `x >> 2` that keeps the sign of x. */
export const arithmeticShiftRight: FunctionTranslation = signedBitOperation('bits_right', 2)

/** `x >> 2` that fills with zeros, so that what is negative becomes large. */
export function logicalShiftRight(args: readonly Expression[]): Expression | undefined {
  return args.length === 2 ? apply('bits_right_from_zero', ...args) : undefined
}
