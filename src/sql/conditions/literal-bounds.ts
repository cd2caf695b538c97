import type { Expression } from '../shape/query-shape.js'

export type Literal = Expression & { kind: 'literal' }

/** A comparison of something with a literal, the literal on the right: `x < 5` for `5 > x` too. */
export interface Bound {
  readonly subject: Expression
  readonly op: '=' | '<>' | '<' | '<=' | '>' | '>='
  readonly value: Literal
}

/** An operator as it reads from the other side. */
export const flippedOperators = { '=': '=', '<>': '<>', '<': '>', '<=': '>=' } as const

/** The comparison with a literal that a condition is, if it is one. */
export function boundOf(condition: Expression): Bound | undefined {
  if (condition.kind !== 'apply' || condition.args.length !== 2) return undefined
  const { op } = condition
  if (op !== '=' && op !== '<>' && op !== '<' && op !== '<=') return undefined
  const [left, right] = condition.args
  if (left === undefined || right === undefined) return undefined
  if (isComparable(right) && left.kind !== 'literal') return { subject: left, op, value: right }
  return isComparable(left) && right.kind !== 'literal'
    ? { subject: right, op: flippedOperators[op], value: left }
    : undefined
}

/** `subject = literal`. */
export function equalityBoundOf(condition: Expression): Bound | undefined {
  const bound = boundOf(condition)
  return bound?.op === '=' ? bound : undefined
}

function isComparable(value: Expression): value is Literal {
  return (
    value.kind === 'literal' && (value.type === 'number' || value.type === 'text' || value.type === 'date')
  )
}

/**
 * How two literals compare in every database: below 0, 0 or above 0, NaN where they differ and their order depends
 * on the collation. Undefined where databases may disagree: texts are equal in some of them where they differ in
 * letter case, accents or spaces at the end, or where they spell one number, date or truth value for a column of
 * that type; 1 and 1.0 differ in a column of texts; and numbers of many digits are rounded.
 */
export function compareLiterals(a: Literal, b: Literal): number | undefined {
  if (a.type !== b.type) return undefined
  if (a.value === b.value) return 0
  if (a.type === 'number') {
    if (!isShort(a.value) || !isShort(b.value)) return undefined
    return Math.sign(Number(a.value) - Number(b.value)) || undefined
  }
  if (isDay(a.value) && isDay(b.value)) return a.value < b.value ? -1 : 1
  return a.type === 'text' && areDistinctInEveryCollation(a.value, b.value) ? Number.NaN : undefined
}

function isShort(number: string): boolean {
  return /^-?\d{1,12}(?:\.\d{1,6})?$/u.test(number) && number.replace(/\D/gu, '').length <= 14
}

/** As text and as date, such values have one order. */
function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text)
}

/**
 * Texts that no collation and no type takes for equal: ASCII words that differ in their letters and digits, beyond
 * letter case.
 */
function areDistinctInEveryCollation(a: string, b: string): boolean {
  if (a === '' || b === '') return isWord(a) || isWord(b)
  const [left, right] = [lettersOf(a), lettersOf(b)]
  return isWord(a) && isWord(b) && left !== right
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/gu, '')
}

/** Texts that columns of other types read as a value which has several spellings. */
const spelledValues: readonly RegExp[] = [
  /^(?:t|f|true|false|y|n|yes|no|on|off|infinity|inf|nan)$/iu,
  // Days and times: 'Jan 5, 2020', 'today', 'J2451187', 'T040506'; spans: 'P1D'.
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?)(?![a-z]).*\d/iu,
  /^(?:sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z]).*\d/iu,
  /^(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?(?![a-z]).*\d/iu,
  /^(?:today|tomorrow|yesterday|now|epoch|allballs|noon|midnight)\b|^(?:j|t|pt?)\d/iu,
  // UUIDs and addresses: hexadecimal digits with or without marks between them.
  /^(?=.*:|.{12})[0-9a-f:.-]*$/iu,
]

function isWord(text: string): boolean {
  const plain = /^[A-Za-z](?:[\u0020-\u007e]*[\u0021-\u007e])?$/u
  return plain.test(text) && !spelledValues.some((pattern) => pattern.test(text))
}
