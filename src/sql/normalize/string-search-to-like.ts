import type { Dialect } from '../../enums/dialect.js'
import { isNumberLiteral, textLiteral, textLiteralValue } from '../functions/function-table.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { hasNoLetters } from './like.js'

/** Dialects in which `=`, LIKE and the functions that search texts tell small letters from capitals. */
const caseSensitiveSearch: ReadonlySet<Dialect> = new Set([
  ...(['postgres', 'redshift', 'trino', 'presto', 'duckdb', 'bigquery', 'snowflake', 'spark'] as const),
])

/**
 * `starts_with(x, 'a')`, `left(x, 1) = 'a'`, `ends_with(x, 'a')` and `strpos(x, 'a') > 0` as LIKE with a pattern, where
 * both look at letter case, or there is none to look at.
 */
export function stringSearchToLike(expression: Expression, dialect: Dialect): Expression {
  if (expression.kind !== 'apply' || expression.args.length !== 2) return expression
  const [first, second] = expression.args
  if (first === undefined || second === undefined) return expression
  if (!caseSensitiveSearch.has(dialect) && !hasNoLetters(first) && !hasNoLetters(second)) return expression
  // Of a CHAR(5) only LIKE sees the spaces at its end.
  if (padsTexts.has(dialect) && [first, ...partsOf(first), second, ...partsOf(second)].some(endsInSpace))
    return expression
  switch (expression.op) {
    case 'starts_with':
      return like(first, second, (part) => `${part}%`) ?? expression
    case 'ends_with':
      return like(first, second, (part) => `%${part}`) ?? expression
    case '=':
      return prefixEqualityToLike(first, second) ?? prefixEqualityToLike(second, first) ?? expression
    case '>':
    case '<>':
      return isNumberLiteral(second, '0') ? (positionToLike(first) ?? expression) : expression
    case '>=':
      return isNumberLiteral(second, '1') ? (positionToLike(first) ?? expression) : expression
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
  return textLiteralValue(value)?.endsWith(' ') === true
}

function like(
  value: Expression | undefined,
  part: Expression | undefined,
  patternOf: (part: string) => string,
): Expression | undefined {
  const written = textLiteralValue(part)
  const isPlain = written !== undefined && written !== '' && !/[%_\\]/u.test(written)
  return value === undefined || !isPlain ? undefined : apply('like', value, textLiteral(patternOf(written)))
}

/** `substring(x, 1, 2) = 'ab'`. */
function prefixEqualityToLike(value: Expression, wanted: Expression): Expression | undefined {
  const [whole, from, size] = value.kind === 'apply' && value.op === 'substring' ? value.args : []
  const length = textLiteralValue(wanted) === undefined ? 0 : [...(textLiteralValue(wanted) ?? '')].length
  return isNumberLiteral(from, '1') && isNumberLiteral(size, String(length))
    ? like(whole, wanted, (part) => `${part}%`)
    : undefined
}

/** Of what is the place in a text: whether it is there at all. */
function positionToLike(place: Expression): Expression | undefined {
  if (place.kind !== 'apply' || place.op !== 'str_position' || place.args.length !== 2) return undefined
  const [value, part] = place.args
  const written = part?.kind === 'apply' && part.op === 'field:substr' ? part.args[0] : undefined
  return like(value, written, (inner) => `%${inner}%`)
}
