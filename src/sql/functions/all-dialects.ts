import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression, word } from '../shape/query-shape.js'
import { argumentsOf, countIfToCount, filterToCase, nameOf, normalizeCount } from './aggregates.js'
import { rightSubstring } from './array-slices.js'
import { bitwiseNot, shiftLeft } from './bit-operations.js'
import { extractToCommon } from './extract.js'
import {
  type FunctionTable,
  interval,
  isNumberLiteral,
  labelledPart,
  now,
  numberLiteral,
  positionOf,
  renameTo,
  textLiteral,
  textLiteralValue,
  today,
  unitOf,
} from './function-table.js'
import { lowerHex, upperHex } from './hashes.js'
import { dropZeroDigits, logarithm, translateCharacters } from './string-functions.js'

/** Functions that mean the same in every dialect that has them. */
export const allDialects: FunctionTable = new Map([
  ['ifnull', renameTo('coalesce', 2)],
  ['nvl', renameTo('coalesce', 2)],
  ['nvl2', (args) => nvl2ToCase(args)],
  ['char_length', renameTo('length', 1)],
  ['character_length', renameTo('length', 1)],
  ['substr', renameTo('substring', 2, 3)],
  ['mid', renameTo('substring', 3)],
  ['left', ([value, count]) => leftToSubstring(value, count)],
  ['right', rightSubstring],
  ['bitwise_not', bitwiseNot],
  ['bitwise_left_shift', shiftLeft],
  ['second', renameTo('second', 1)],
  ['not', ([value]) => (value === undefined ? undefined : notDistinct(value))],
  ['null_safe_neq', (args) => apply('not', apply('null_safe_eq', ...args))],
  ['ucase', renameTo('upper', 1)],
  ['lcase', renameTo('lower', 1)],
  ['strpos', ([value, part]) => positionOf(value, part)],
  ['pow', renameTo('power', 2)],
  ['ceiling', renameTo('ceil', 1)],
  ['truncate', (args) => dropZeroDigits('trunc')(args) ?? renameTo('trunc', 1, 2)(args, 'ansi')],
  ['mod', (args) => binary('%', args)],
  ['mod_func', (args) => binary('%', args)],
  ['round', normalizeRound],
  ['n_tile', (args) => normalizeNtile(args)],
  ['trunc', dropZeroDigits('trunc')],
  ['log', logarithm],
  ['date_part', ([part, date], dialect) => partOfDate(part, date, dialect)],
  ['translate', translateCharacters],
  ['count_if', countIfToCount],
  ['countif', countIfToCount],
  ['count', normalizeCount],
  ['sum', (args) => filterToCase('sum', args)],
  ['avg', (args) => filterToCase('avg', args)],
  ['min', (args) => filterToCase('min', args)],
  ['max', (args) => filterToCase('max', args)],
  ['bitwise_and_agg', (args, dialect) => bitAggregate('bit_and_agg', args, dialect)],
  ['bitwise_or_agg', (args, dialect) => bitAggregate('bit_or_agg', args, dialect)],
  ['now', (args) => (args.length === 0 ? now : undefined)],
  ['current_timestamp', (args) => (args.length === 0 ? now : undefined)],
  ['curdate', (args) => (args.length === 0 ? today : undefined)],
  ['extract', extractToCommon],
  ['interval', parseInterval],
  ['day_of_month', renameTo('day', 1)],
  ['dayofmonth', renameTo('day', 1)],
  ['date_add', (args) => dateAddToOperator('+', args)],
  ['date_sub', (args) => dateAddToOperator('-', args)],
  ['dateadd', (args) => dateAddToOperator('+', args)],
  ['aggregate_function', (args) => anyAggregate(args)],
  ['logical_or', ([value]) => (value === undefined ? undefined : apply('bool_or', value))],
  ['logical_and', ([value]) => (value === undefined ? undefined : apply('bool_and', value))],
  ['stddev', renameTo('stddev_samp', 1)],
  ['variance', renameTo('var_samp', 1)],
  ['nth_value', (args) => nthToFirstValue(args)],
  ['regexp_like', (args) => normalizeRegexpLike(args)],
  ['trim', normalizeTrim],
  ['upper', upperHex],
  ['lower', lowerHex],
  ['array_func', (args) => arrayOf(args)],
])

/** `NTH_VALUE(x, 1)`. */
function nthToFirstValue(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const place = labelledPart(args, 'offset')
  return value !== undefined && isNumberLiteral(place, '1') && args.length === 2
    ? apply('first_value', value)
    : undefined
}

function binary(op: string, args: readonly Expression[]): Expression | undefined {
  return args.length === 2 ? apply(op, ...args) : undefined
}

/** `NVL2(a, b, c)` is b where a is not NULL. */
function nvl2ToCase(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const [yes, no] = [labelledPart(args, 'true_value'), labelledPart(args, 'false_value')]
  if (value === undefined || yes === undefined || no === undefined) return undefined
  return apply('case', apply('when', apply('not', apply('is_null', value)), yes), apply('else', no))
}

/** `LEFT(x, 3)`; of a count that is negative dialects make different things. */
function leftToSubstring(
  value: Expression | undefined,
  count: Expression | undefined,
): Expression | undefined {
  const isCount = count?.kind === 'literal' && count.type === 'number' && /^\d+$/u.test(count.value)
  return value === undefined || !isCount ? undefined : apply('substring', value, numberLiteral('1'), count)
}

/** The parser labels the digits in some dialects only. */
function normalizeRound(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const digits = labelledPart(args, 'decimals')
  if (value === undefined || digits === undefined || args.length !== 2) return withoutZeroDigits(args)
  return withoutZeroDigits([value, digits]) ?? apply('round', value, digits)
}

const withoutZeroDigits = dropZeroDigits('round')

/** `NOT (a IS DISTINCT FROM b)`, which is never NULL. */
function notDistinct(value: Expression): Expression | undefined {
  const [inner] = value.kind === 'apply' && value.op === 'not' ? value.args : []
  return inner?.kind === 'apply' && inner.op === 'null_safe_eq' ? inner : undefined
}

/** `NTILE(4)`; the parser labels the number. */
function normalizeNtile(args: readonly Expression[]): Expression | undefined {
  const tiles = labelledPart(args, 'num_buckets')
  return tiles === undefined || args.length !== 1 ? undefined : apply('ntile', tiles)
}

function normalizeRegexpLike(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const pattern = labelledPart(args, 'pattern')
  return value === undefined || pattern === undefined || args.length !== 2
    ? undefined
    : apply('regexp_like', value, pattern)
}

/** `INTERVAL '30 days'`, `INTERVAL '30' DAY` and `INTERVAL 30 DAY`. */
export function parseInterval(args: readonly Expression[]): Expression | undefined {
  const [amount] = args
  if (amount === undefined) return undefined
  const unit = unitOf(labelledPart(args, 'unit') ?? args[1])
  const written = textLiteralValue(amount)?.trim()
  if (unit !== undefined) {
    if (args.length !== 2) return undefined
    return interval(written !== undefined && /^-?\d+$/u.test(written) ? numberLiteral(written) : amount, unit)
  }
  const parts = args.length === 1 ? /^(-?\d+)\s*([a-z]+)$/iu.exec(written ?? '') : null
  const named = unitOf(textLiteral(parts?.[2] ?? ''))
  return named === undefined ? undefined : interval(numberLiteral(parts?.[1] ?? ''), named)
}

/** `DATE_ADD(d, INTERVAL 1 DAY)`, `DATE_ADD('day', 1, d)`, `DATEADD(day, 1, d)`. */
function dateAddToOperator(op: '+' | '-', args: readonly Expression[]): Expression | undefined {
  const [first, second, third] = args
  if (first === undefined || second === undefined) return undefined
  const unit = unitOf(first)
  if (unit !== undefined && third !== undefined && args.length === 3)
    return apply(op, third, interval(second, unit))
  const span = second.kind === 'apply' && second.op === 'interval' ? second : undefined
  if (span !== undefined && args.length === 2) return apply(op, first, span)
  const labelled = unitOf(labelledPart(args, 'unit'))
  const amount = labelledPart(args, 'interval')
  return labelled !== undefined && amount !== undefined && args.length === 3
    ? apply(op, first, interval(amount, labelled))
    : undefined
}

/** `DATE_PART('year', d)`. */
function partOfDate(
  part: Expression | undefined,
  date: Expression | undefined,
  dialect: Dialect,
): Expression | undefined {
  const isWord = part?.kind === 'literal' && part.type === 'word'
  const name = (isWord ? part.value : textLiteralValue(part))?.toLowerCase()
  return name === undefined || date === undefined
    ? undefined
    : extractToCommon([date, apply('field:field', word(name))], dialect)
}

/** All bits of nothing are NULL, but in MySQL. */
function bitAggregate(op: string, args: readonly Expression[], dialect: Dialect): Expression | undefined {
  const [value, ...rest] = args
  const isPlain = rest.every((arg) => arg.kind === 'apply' && arg.op === 'field:name')
  return value === undefined || dialect === 'mysql' || !isPlain ? undefined : apply(op, value)
}

/** `TRIM(LEADING FROM x)` is `ltrim(x)`, `TRIM('!' FROM x)` is `trim(x, '!')`; MySQL cuts off whole texts, not characters. */
export function normalizeTrim(args: readonly Expression[], dialect: Dialect): Expression | undefined {
  const [value] = args
  const [side, characters] = [labelledPart(args, 'position'), labelledPart(args, 'characters')]
  const isPlain = args.slice(1).every((arg) => arg.kind === 'apply' && trimLabels.has(arg.op))
  if (value === undefined || side?.kind !== 'literal' || !isPlain) return undefined
  const name = side.value === 'Leading' ? 'ltrim' : side.value === 'Trailing' ? 'rtrim' : 'trim'
  if (characters === undefined) return apply(name, value)
  const isOne = [...(textLiteralValue(characters) ?? '')].length === 1
  return apply(dialect === 'mysql' && !isOne ? `${name}_text` : name, value, characters)
}

const trimLabels: ReadonlySet<string> = new Set([
  ...['field:position', 'field:position_explicit', 'field:sql_standard_syntax', 'field:characters'],
])

const aggregateNames = new Map([
  ['arg_max', 'max_by'],
  ['arg_min', 'min_by'],
  ['max_by', 'max_by'],
  ['min_by', 'min_by'],
  ['arbitrary', 'any_value'],
  ['every', 'bool_and'],
  ['bool_and', 'bool_and'],
  ['booland_agg', 'bool_and'],
  ['bool_or', 'bool_or'],
  ['boolor_agg', 'bool_or'],
  ['collect_list', 'collect_list'],
  ['covar_pop', 'covar_pop'],
  ['covar_samp', 'covar_samp'],
  ['bitwise_and_agg', 'bit_and_agg'],
  ['bitwise_or_agg', 'bit_or_agg'],
])

function anyAggregate(args: readonly Expression[]): Expression | undefined {
  const common = args.length === 2 ? aggregateNames.get(nameOf(args) ?? '') : undefined
  return common === undefined ? undefined : apply(common, ...argumentsOf(args))
}

function arrayOf(args: readonly Expression[]): Expression | undefined {
  const list = args.find((arg) => arg.kind === 'apply' && arg.op === 'field:expressions')
  if (list?.kind !== 'apply')
    return args.some((arg) => arg.kind === 'apply' && arg.op.startsWith('field:'))
      ? undefined
      : apply('array', ...args)
  const rest = args.filter(
    (arg) => arg !== list && !(arg.kind === 'apply' && arg.op === 'field:bracket_notation'),
  )
  return rest.length === 0 ? apply('array', ...list.args) : undefined
}
