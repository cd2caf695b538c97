import type { Dialect } from '../../enums/dialect.js'
import { concatIgnoringNulls, isNumberLiteral } from '../functions/function-table.js'
import { unnestScalarList } from '../functions/unnest-calls.js'
import { type Assumptions, assumeDays } from '../relational/assumptions.js'
import { apply, type Expression, type QueryShape, word } from '../shape/query-shape.js'
import { rewriteQuery } from '../shape/rewrite-query.js'
import { plainName, type Schema, tableOf } from '../tables/table-schema.js'
import { type DialectSemanticsContext, normalizeDialectSemantics } from './dialect-semantics.js'
import { type ExactKind, kindOfType } from './exact-kinds.js'
import { type ColumnKinds, subtractsDays } from './infer-column-kinds.js'
import { normalizeTypedQuotient } from './integer-division.js'
import { booleans, dates, integers, isOnly, type Kinds, numbers, texts } from './kinds.js'
import { normalizeLikeEscapes } from './like-escapes.js'
import { intervalWithoutOverflow, wholeMonthsWithoutOverflow } from './month-spans.js'
import { markNullSemantics } from './null-semantics.js'
import { castOperandIfDay, isShiftedDate } from './parsed-dates.js'
import { type Sources, sourcesIn } from './query-sources.js'
import { type Column, onlyColumn, qualifiedColumnName } from './single-column.js'
import { markTemporalTexts, type NamedColumn } from './temporal-texts.js'
import { daysUntilToday, secondsBetween, startOfDaysUntilNow, wholeSeconds } from './time-differences.js'
import { kindsOfValue } from './value-kinds.js'

interface Settings {
  readonly dialect: Dialect
  /** The dialect of the query that it is compared with. */
  readonly other: Dialect
  readonly schema: Schema | undefined
  readonly assumptions: Assumptions
}

/** Calls in the one form that they have for what their columns hold: differences of days, casts of days to a date. */
export function normalizeByType(
  query: QueryShape,
  { dialect, other, schema, assumptions }: Settings,
  columns: ColumnKinds,
): QueryShape {
  const sources = sourcesIn(query)
  const kindsOf = (value: Expression): Kinds => kindsOfValue(value, columns, sources)
  const isDay = (value: Expression): boolean => isOnly(kindsOf(value), dates)
  const mayBeDay = (value: Expression, ofHabit = true): boolean => {
    const column = isDay(value) ? undefined : onlyColumn(value, sources)
    if (column === undefined) return isDay(value)
    return assumeDays(qualifiedColumnName(column, sources), assumptions, ofHabit)
  }
  const columnOf = (value: Expression): NamedColumn | undefined => {
    const column = onlyColumn(value, sources)
    const table = column?.source === undefined ? undefined : sources.tables.get(column.source)
    if (column === undefined || table === undefined) return undefined
    const known = schema && tableOf(schema, table)?.columns.get(plainName(column.name))
    return { name: qualifiedColumnName(column, sources), type: known?.type }
  }
  const kindOfColumn = (column: Column): ExactKind => {
    const type = columnOf(column)?.type
    if (type !== undefined) return kindOfType(type)
    const kinds = kindsOf(column)
    if (isOnly(kinds, integers)) return 'whole'
    if (isOnly(kinds, texts)) return 'text'
    if (isOnly(kinds, dates)) return 'day'
    return isOnly(kinds, booleans) ? 'truth' : 'open'
  }
  const habits: DialectSemanticsContext = {
    dialect,
    other,
    assumptions,
    kindOfColumn,
    nameOf: (column) => qualifiedColumnName(column, sources),
    outputOf: sources.outputOf,
  }
  return rewriteQuery(query, {
    query: (nested) => nested,
    expression: (expression) => {
      if (expression.kind !== 'apply') return expression
      const settled = normalizeDialectSemantics(
        markNullSemantics(expression, { dialect, other }, assumptions),
        habits,
      )
      if (settled.op !== expression.op || settled.args !== expression.args) return settled
      const { op, args } = expression
      const [first, second] = args
      const seconds = inSeconds(expression, sources, assumptions)
      if (seconds !== undefined) return seconds
      const whole = normalizeTypedQuotient(
        expression,
        { dialect, other },
        kindOfColumn,
        (column) => qualifiedColumnName(column, sources),
        assumptions,
      )
      if (whole !== undefined) return whole
      const rows = unnestScalarList(
        expression,
        (column) => columnOf(column)?.type,
        (column) =>
          assumptions.assume('types', `${qualifiedColumnName(column, sources)} holds lists of plain values`),
      )
      if (rows !== undefined) return rows
      const marked = markTemporalTexts(expression, { dialect, other }, columnOf, assumptions)
      if (marked !== expression) return marked
      const like = normalizeLikeEscapes(expression, { dialect, other }, assumptions)
      if (like !== expression) return like
      if (op === 'concat_given') return joinedTexts(args, sources, kindsOf, assumptions) ?? expression
      if (op.startsWith('substring of the end, ')) return fromTheEnd(expression, assumptions)
      if (op === 'whole_units')
        return wholeMonthsWithoutOverflow(args, assumptions) ?? daysOf(args, mayBeDay) ?? expression
      if (op === 'unit_boundaries') return daysOf(args, mayBeDay) ?? expression
      if (first === undefined || second === undefined || args.length !== 2) return expression
      if ((op === '-' || op === '+') && addsDays.has(dialect) && isCount(second) && isDay(first))
        return apply(op, first, apply('interval', second, word('day')))
      if (op === '-' && subtractsDays.has(dialect) && (isDay(first) || isDay(second)))
        return mayBeDay(first) && mayBeDay(second) ? apply('days_between', first, second) : expression
      if (op === 'nullif') return lengthOf(expression, assumptions)
      if (op === 'interval') return intervalWithoutOverflow(first, second, assumptions) ?? expression
      if (op === 'cast' && second.kind === 'literal' && second.value === 'int' && cutsOff.has(dialect)) {
        const past = daysInThePast(first, sources, assumptions)
        if (past !== undefined) return past
        return wholeNumber(first, kindsOf, assumptions)
          ? expression
          : apply('cast', first, word('int, cut off'))
      }
      if (op === '-') return difference(expression, dialect, sources, kindsOf, assumptions)
      if (op === '=' || op === '<>') return truthOf(op, first, second, kindsOf) ?? expression
      if (op === 'julian_days')
        return mayBeDay(first) && mayBeDay(second) ? apply('days_between', ...args) : expression
      if (op === 'cast' && second.kind === 'literal' && second.value === 'date')
        return (
          castOperandIfDay(first, (day, isRead) => mayBeDay(day, isRead || isShiftedDate(first, dialect))) ??
          expression
        )
      return expression
    },
  })
}

/** Of what is true or false: `a = 1` and `a <> 0` ask for a, `a = 0` for NOT a. */
function truthOf(
  op: '=' | '<>',
  value: Expression,
  literal: Expression,
  kindsOf: (value: Expression) => Kinds,
): Expression | undefined {
  if (literal.kind !== 'literal') return undefined
  const isTruth = value.kind === 'column' && isOnly(kindsOf(value), booleans)
  if (!isTruth || literal.type !== 'number' || !/^[01]$/u.test(literal.value)) return undefined
  return (literal.value === '1') === (op === '=') ? value : apply('not', value)
}

/** Dialects in which a date and a number is a date so many days later. */
const addsDays: ReadonlySet<Dialect> = new Set([...subtractsDays, 'bigquery'])

function isCount(value: Expression): boolean {
  return value.kind === 'literal' && value.type === 'number' && /^\d+$/u.test(value.value)
}

/** A difference in seconds, of moments that have no fractions of one. */
function inSeconds(
  expression: Expression & { kind: 'apply' },
  sources: Sources,
  assumptions: Assumptions,
): Expression | undefined {
  const between = secondsBetween(expression)
  const columns = between && [between.early, between.late].map((part) => onlyColumn(part, sources))
  if (between === undefined || columns?.some((column) => column === undefined) !== false) return undefined
  const names = columns.map((column) => (column === undefined ? '' : qualifiedColumnName(column, sources)))
  return assumptions.assumeDialectDefault(
    'types',
    `${[...new Set(names)].sort().join(' and ')} hold whole seconds`,
  )
    ? wholeSeconds(between)
    : undefined
}

/** Days until now, cut off: as many as until today, but of days to come. */
function daysInThePast(
  value: Expression,
  sources: Sources,
  assumptions: Assumptions,
): Expression | undefined {
  const day = startOfDaysUntilNow(value)
  const column = day && onlyColumn(day, sources)
  if (day === undefined || column === undefined) return undefined
  const text = `${qualifiedColumnName(column, sources)} holds days, none of them to come`
  return assumptions.assumeDialectDefault('types', text) ? daysUntilToday(day) : undefined
}

/** Between days there are as many whole days as midnights. */
function daysOf(
  [unit, early, late]: readonly Expression[],
  mayBeDay: (value: Expression) => boolean,
): Expression | undefined {
  const isDay = unit?.kind === 'literal' && unit.value === 'day' && early !== undefined && late !== undefined
  return isDay && mayBeDay(early) && mayBeDay(late) ? apply('days_between', late, early) : undefined
}

/** `substr(x, -3, 2)`, where there are three letters. */
function fromTheEnd(call: Expression & { kind: 'apply' }, assumptions: Assumptions): Expression {
  const isMade = assumptions.assumeDialectDefault(
    'types',
    'no text ends before a place that is counted from its end',
  )
  return isMade ? { ...call, op: 'substring of the end' } : call
}

/** The length of an array that PostgreSQL has none of where it is empty. */
function lengthOf(call: Expression & { kind: 'apply' }, assumptions: Assumptions): Expression {
  const [length, zero] = call.args
  const isLength = length?.kind === 'apply' && length.op === 'cardinality' && isNumberLiteral(zero, '0')
  return isLength && assumptions.assumeDialectDefault('nulls', 'no array is empty') ? length : call
}

/** PostgreSQL's concat() writes booleans as t and f, which a cast to text does not. */
function joinedTexts(
  args: readonly Expression[],
  sources: Sources,
  kindsOf: (value: Expression) => Kinds,
  assumptions: Assumptions,
): Expression | undefined {
  const isWritten = (arg: Expression): boolean => {
    if (arg.kind === 'literal' || isOnly(kindsOf(arg), texts | numbers)) return true
    const column = onlyColumn(arg, sources)
    const name = column === undefined ? 'what is joined to a text' : qualifiedColumnName(column, sources)
    return assumptions.assumeDialectDefault('types', `${name} is no boolean`)
  }
  return args.every(isWritten) ? concatIgnoringNulls(args) : undefined
}

/** Dialects in which a cast to an integer cuts off what others round. */
const cutsOff: ReadonlySet<Dialect> = new Set(['sqlite', 'spark'])

const wholeValues: ReadonlySet<string> = new Set([
  'count',
  'length',
  'str_position',
  'days_between',
  'format_time',
])

function wholeNumber(
  value: Expression,
  kindsOf: (value: Expression) => Kinds,
  assumptions: Assumptions,
): boolean {
  const isWhole = value.kind === 'apply' && wholeValues.has(value.op)
  if (isWhole || isOnly(kindsOf(value), integers | texts)) return true
  return assumptions.assume('types', 'what is cast to an integer is a whole number')
}

/**
 * The result of subtracting dates differs by dialect: days, an interval, a number made of their digits. So a difference of
 * columns is the same elsewhere only where they hold numbers.
 */
function difference(
  expression: Expression & { kind: 'apply' },
  dialect: Dialect,
  sources: Sources,
  kindsOf: (value: Expression) => Kinds,
  assumptions: Assumptions,
): Expression {
  const columns = expression.args.map((arg) => onlyColumn(arg, sources))
  const areNumbers = expression.args.some((arg) => isOnly(kindsOf(arg), numbers))
  const names = columns.map((column) => column && qualifiedColumnName(column, sources))
  const [first, second] = names
  if (areNumbers || first === undefined || second === undefined) return expression
  if (assumptions.assume('types', `${[first, second].sort().join(' and ')} hold numbers`)) return expression
  return { ...expression, op: `- of ${subtractsDays.has(dialect) ? 'days' : dialect}` }
}
