import { apply, type Expression, word } from '../shape/query-shape.js'
import type { FunctionTranslation } from './function-table.js'

/** A hash as bytes. */
export function hashBytes(algorithm: string): FunctionTranslation {
  return ([value]) =>
    value === undefined ? undefined : apply('hash', word(algorithm), withoutUtf8Encoding(value))
}

/** A hash as a text of hexadecimal digits, letters in lower case. */
export function hashText(algorithm: string): FunctionTranslation {
  return ([value]) =>
    value === undefined
      ? undefined
      : apply('lower_hex', apply('hash', word(algorithm), withoutUtf8Encoding(value)))
}

/** `SHA2(x, 256)`; 0 is 256 too. */
export const sha2: FunctionTranslation = ([value, bits]) => {
  if (value === undefined || bits?.kind !== 'literal') return undefined
  const size = bits.value === '0' ? '256' : bits.value
  return apply('lower_hex', apply('hash', word(`sha${size}`), withoutUtf8Encoding(value)))
}

/** `lower(to_hex(x))` where to_hex writes capitals. */
export function lowerHex([value]: readonly Expression[]): Expression | undefined {
  return value?.kind === 'apply' && value.op === 'upper_hex' ? apply('lower_hex', ...value.args) : undefined
}

/** `upper(x)` of hexadecimal digits. */
export function upperHex([value]: readonly Expression[]): Expression | undefined {
  return value?.kind === 'apply' && (value.op === 'lower_hex' || value.op === 'upper_hex')
    ? apply('upper_hex', ...value.args)
    : undefined
}

/** Returns the bytes behind a conversion to hexadecimal digits. */
export function unhex([value]: readonly Expression[]): Expression | undefined {
  return value?.kind === 'apply' && (value.op === 'lower_hex' || value.op === 'upper_hex')
    ? value.args[0]
    : undefined
}

/** Texts are hashed as their UTF-8 bytes, whether this is written or not. */
function withoutUtf8Encoding(value: Expression): Expression {
  const [bytes] = value.kind === 'apply' && value.op === 'to_utf8' ? value.args : []
  return bytes ?? value
}
