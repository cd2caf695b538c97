import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression, word } from '../shape/query-shape.js'
import { argumentsOf, counted, countedIf, filtered, nameOf } from './aggregates.js'
import { complement, shiftedLeft } from './bits.js'
import { extracted } from './extract.js'
import { lowerHex, upperHex } from './hashes.js'
import { end } from './slices.js'
import {
  type FunctionTable,
  interval,
  isNumeral,
  named,
  now,
  number,
  partOf,
  positionOf,
  text,
  textOf,
  today,
  unitOf,
} from './table.js'
import { logarithm, translated, withoutDigits } from './texts.js'

/** What means the same wherever it exists. */
export const everywhere: FunctionTable = new Map([
  ['ifnull', named('coalesce', 2)],
  ['nvl', named('coalesce', 2)],
  ['nvl2', (args) => ifGiven(args)],
  ['char_length', named('length', 1)],
  ['character_length', named('length', 1)],
  ['substr', named('substring', 2, 3)],
  ['mid', named('substring', 3)],
  ['left', ([value, count]) => start(value, count)],
  ['right', end],
  ['bitwise_not', complement],
  ['bitwise_left_shift', shiftedLeft],
  ['second', named('second', 1)],
  ['not', ([value]) => (value === undefined ? undefined : notDistinct(value))],
  ['null_safe_neq', (args) => apply('not', apply('null_safe_eq', ...args))],
  ['ucase', named('upper', 1)],
  ['lcase', named('lower', 1)],
  ['strpos', ([value, part]) => positionOf(value, part)],
  ['pow', named('power', 2)],
  ['ceiling', named('ceil', 1)],
  ['truncate', (args) => withoutDigits('trunc')(args) ?? named('trunc', 1, 2)(args, 'ansi')],
  ['mod', (args) => binary('%', args)],
  ['mod_func', (args) => binary('%', args)],
  ['round', rounded],
  ['n_tile', (args) => tile(args)],
  ['trunc', withoutDigits('trunc')],
  ['log', logarithm],
  ['date_part', ([part, date], dialect) => partOfDate(part, date, dialect)],
  ['translate', translated],
  ['count_if', countedIf],
  ['countif', countedIf],
  ['count', counted],
  ['sum', (args) => filtered('sum', args)],
  ['avg', (args) => filtered('avg', args)],
  ['min', (args) => filtered('min', args)],
  ['max', (args) => filtered('max', args)],
  ['bitwise_and_agg', (args, dialect) => bits('bit_and_agg', args, dialect)],
  ['bitwise_or_agg', (args, dialect) => bits('bit_or_agg', args, dialect)],
  ['now', (args) => (args.length === 0 ? now : undefined)],
  ['current_timestamp', (args) => (args.length === 0 ? now : undefined)],
  ['curdate', (args) => (args.length === 0 ? today : undefined)],
  ['extract', extracted],
  ['interval', spanOf],
  ['day_of_month', named('day', 1)],
  ['dayofmonth', named('day', 1)],
  ['date_add', (args) => shifted('+', args)],
  ['date_sub', (args) => shifted('-', args)],
  ['dateadd', (args) => shifted('+', args)],
  ['aggregate_function', (args) => anyAggregate(args)],
  ['logical_or', ([value]) => (value === undefined ? undefined : apply('bool_or', value))],
  ['logical_and', ([value]) => (value === undefined ? undefined : apply('bool_and', value))],
  ['stddev', named('stddev_samp', 1)],
  ['variance', named('var_samp', 1)],
  ['nth_value', (args) => firstOf(args)],
  ['regexp_like', (args) => matches(args)],
  ['trim', sided],
  ['upper', upperHex],
  ['lower', lowerHex],
  ['array_func', (args) => arrayOf(args)],
])

/** `NTH_VALUE(x, 1)`. */
function firstOf(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const place = partOf(args, 'offset')
  return value !== undefined && isNumeral(place, '1') && args.length === 2
    ? apply('first_value', value)
    : undefined
}

function binary(op: string, args: readonly Expression[]): Expression | undefined {
  return args.length === 2 ? apply(op, ...args) : undefined
}

/** `NVL2(a, b, c)` is b where a is not NULL. */
function ifGiven(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const [yes, no] = [partOf(args, 'true_value'), partOf(args, 'false_value')]
  if (value === undefined || yes === undefined || no === undefined) return undefined
  return apply('case', apply('when', apply('not', apply('is_null', value)), yes), apply('else', no))
}

/** `LEFT(x, 3)`; of a count that is negative dialects make different things. */
function start(value: Expression | undefined, count: Expression | undefined): Expression | undefined {
  const isCount = count?.kind === 'literal' && count.type === 'number' && /^\d+$/u.test(count.value)
  return value === undefined || !isCount ? undefined : apply('substring', value, number('1'), count)
}

/** The parser labels the digits in some dialects only. */
function rounded(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const digits = partOf(args, 'decimals')
  if (value === undefined || digits === undefined || args.length !== 2) return withoutZeroDigits(args)
  return withoutZeroDigits([value, digits]) ?? apply('round', value, digits)
}

const withoutZeroDigits = withoutDigits('round')

/** `NOT (a IS DISTINCT FROM b)`, which is never NULL. */
function notDistinct(value: Expression): Expression | undefined {
  const [inner] = value.kind === 'apply' && value.op === 'not' ? value.args : []
  return inner?.kind === 'apply' && inner.op === 'null_safe_eq' ? inner : undefined
}

/** `NTILE(4)`; the parser labels the number. */
function tile(args: readonly Expression[]): Expression | undefined {
  const tiles = partOf(args, 'num_buckets')
  return tiles === undefined || args.length !== 1 ? undefined : apply('ntile', tiles)
}

function matches(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const pattern = partOf(args, 'pattern')
  return value === undefined || pattern === undefined || args.length !== 2
    ? undefined
    : apply('regexp_like', value, pattern)
}

/** `INTERVAL '30 days'`, `INTERVAL '30' DAY` and `INTERVAL 30 DAY`. */
export function spanOf(args: readonly Expression[]): Expression | undefined {
  const [amount] = args
  if (amount === undefined) return undefined
  const unit = unitOf(partOf(args, 'unit') ?? args[1])
  const written = textOf(amount)?.trim()
  if (unit !== undefined) {
    if (args.length !== 2) return undefined
    return interval(written !== undefined && /^-?\d+$/u.test(written) ? number(written) : amount, unit)
  }
  const parts = args.length === 1 ? /^(-?\d+)\s*([a-z]+)$/iu.exec(written ?? '') : null
  const named = unitOf(text(parts?.[2] ?? ''))
  return named === undefined ? undefined : interval(number(parts?.[1] ?? ''), named)
}

/** `DATE_ADD(d, INTERVAL 1 DAY)`, `DATE_ADD('day', 1, d)`, `DATEADD(day, 1, d)`. */
function shifted(op: '+' | '-', args: readonly Expression[]): Expression | undefined {
  const [first, second, third] = args
  if (first === undefined || second === undefined) return undefined
  const unit = unitOf(first)
  if (unit !== undefined && third !== undefined && args.length === 3)
    return apply(op, third, interval(second, unit))
  const span = second.kind === 'apply' && second.op === 'interval' ? second : undefined
  if (span !== undefined && args.length === 2) return apply(op, first, span)
  const labelled = unitOf(partOf(args, 'unit'))
  const amount = partOf(args, 'interval')
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
  const name = (isWord ? part.value : textOf(part))?.toLowerCase()
  return name === undefined || date === undefined
    ? undefined
    : extracted([date, apply('field:field', word(name))], dialect)
}

/** All bits of nothing are NULL, but in MySQL. */
function bits(op: string, args: readonly Expression[], dialect: Dialect): Expression | undefined {
  const [value, ...rest] = args
  const isPlain = rest.every((arg) => arg.kind === 'apply' && arg.op === 'field:name')
  return value === undefined || dialect === 'mysql' || !isPlain ? undefined : apply(op, value)
}

/** `TRIM(LEADING FROM x)` is `ltrim(x)`, `TRIM('!' FROM x)` is `trim(x, '!')`; MySQL cuts off whole texts, not characters. */
export function sided(args: readonly Expression[], dialect: Dialect): Expression | undefined {
  const [value] = args
  const [side, characters] = [partOf(args, 'position'), partOf(args, 'characters')]
  const isPlain = args.slice(1).every((arg) => arg.kind === 'apply' && trimLabels.has(arg.op))
  if (value === undefined || side?.kind !== 'literal' || !isPlain) return undefined
  const name = side.value === 'Leading' ? 'ltrim' : side.value === 'Trailing' ? 'rtrim' : 'trim'
  if (characters === undefined) return apply(name, value)
  const isOne = [...(textOf(characters) ?? '')].length === 1
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
