import type { Dialect } from '../../enums/dialect.js'
import { isNumeral, text, textOf } from '../functions/table.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { hasNoLetters } from './like.js'

/** Dialects in which `=`, LIKE and the functions that search texts tell small letters from capitals. */
const tellsCase: ReadonlySet<Dialect> = new Set([
  ...(['postgres', 'redshift', 'trino', 'presto', 'duckdb', 'bigquery', 'snowflake', 'spark'] as const),
])

/**
 * `starts_with(x, 'a')`, `left(x, 1) = 'a'`, `ends_with(x, 'a')` and `strpos(x, 'a') > 0` as LIKE with a pattern, where
 * both look at letter case, or there is none to look at.
 */
export function unifyTextStarts(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply' || expression.args.length !== 2) return expression
  const [first, second] = expression.args
  if (first === undefined || second === undefined) return expression
  if (!tellsCase.has(dialect) && !hasNoLetters(first) && !hasNoLetters(second)) return expression
  // Of a CHAR(5) only LIKE sees the spaces at its end.
  if (padsTexts.has(dialect) && [first, ...partsOf(first), second, ...partsOf(second)].some(endsInSpace))
    return expression
  switch (expression.op) {
    case 'starts_with':
      return like(first, second, (part) => `${part}%`) ?? expression
    case 'ends_with':
      return like(first, second, (part) => `%${part}`) ?? expression
    case '=':
      return start(first, second) ?? start(second, first) ?? expression
    case '>':
    case '<>':
      return isNumeral(second, '0') ? (found(first) ?? expression) : expression
    case '>=':
      return isNumeral(second, '1') ? (found(first) ?? expression) : expression
    default:
      return expression
  }
}

const padsTexts: ReadonlySet<Dialect> = new Set(['postgres', 'redshift', 'trino', 'presto', 'mysql'])

function partsOf(value: Expression): readonly Expression[] {
  if (value.kind !== 'apply' || value.op !== 'str_position') return []
  return value.args.flatMap((arg) => (arg.kind === 'apply' ? [arg, ...arg.args] : [arg]))
}

function endsInSpace(value: Expression): boolean {
  return textOf(value)?.endsWith(' ') === true
}

function like(
  value: Expression | undefined,
  part: Expression | undefined,
  patternOf: (part: string) => string,
): Expression | undefined {
  const written = textOf(part)
  const isPlain = written !== undefined && written !== '' && !/[%_\\]/u.test(written)
  return value === undefined || !isPlain ? undefined : apply('like', value, text(patternOf(written)))
}

/** `substring(x, 1, 2) = 'ab'`. */
function start(value: Expression, wanted: Expression): Expression | undefined {
  const [whole, from, size] = value.kind === 'apply' && value.op === 'substring' ? value.args : []
  const length = textOf(wanted) === undefined ? 0 : [...(textOf(wanted) ?? '')].length
  return isNumeral(from, '1') && isNumeral(size, String(length))
    ? like(whole, wanted, (part) => `${part}%`)
    : undefined
}

/** Of what is the place in a text: whether it is there at all. */
function found(place: Expression): Expression | undefined {
  if (place.kind !== 'apply' || place.op !== 'str_position' || place.args.length !== 2) return undefined
  const [value, part] = place.args
  const written = part?.kind === 'apply' && part.op === 'field:substr' ? part.args[0] : undefined
  return like(value, written, (inner) => `%${inner}%`)
}
