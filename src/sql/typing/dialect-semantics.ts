import type { Dialect } from '../../enums/dialect.js'
import type { Assumptions } from '../relational/assumptions.js'
import { apply, type Expression, word } from '../shape/query-shape.js'
import { decidingParts, type ExactKind, kindOfPart } from './exact-kinds.js'
import { subtractsDays } from './infer-column-kinds.js'
import { numericRequirementOf } from './numeric-semantics.js'
import { areRenderedAlike } from './text-rendering.js'

type Call = Expression & { kind: 'apply' }
type Column = Expression & { kind: 'column' }

/** The context of a call in one of two queries in two dialects. */
export interface DialectSemanticsContext {
  readonly dialect: Dialect
  readonly other: Dialect
  readonly assumptions: Assumptions
  kindOfColumn(column: Column): ExactKind
  nameOf(column: Column): string
  /** Returns the expression behind a column of a derived table. */
  outputOf(column: Column): Expression | undefined
}

/**
 * A call that is the same in both dialects for values of some kinds only, by a name of its own where it is given others, or
 * may be: DuckDB's `//` of floats, SQLite's `%`, an average of decimals in Trino, floats that are rounded or written as
 * texts, a date and a number.
 */
export function normalizeDialectSemantics(call: Call, context: DialectSemanticsContext): Call {
  const isSame =
    isSameNumber(call, context) &&
    isSameText(call, context) &&
    comparesAlike(call, context) &&
    isSameJson(call, context)
  return isSame ? normalizeDateShift(call, context) : { ...call, op: `${call.op} of ${context.dialect}` }
}

interface Part {
  readonly kind: ExactKind
  readonly part: Expression
}

function partsOf(value: Expression, context: DialectSemanticsContext): readonly Part[] {
  return decidingParts(value).flatMap((part): readonly Part[] => {
    const output = part.kind === 'column' ? context.outputOf(part) : undefined
    if (output !== undefined) return partsOf(output, context)
    return [{ kind: kindOfPart(part, context.kindOfColumn), part }]
  })
}

function isSameNumber(call: Call, context: DialectSemanticsContext): boolean {
  const { dialect, other, assumptions } = context
  const wanted = numericRequirementOf(call, dialect, other)
  if (wanted === undefined) return true
  const given = call.op === 'cast' ? call.args.slice(0, 1) : call.args
  return given
    .flatMap((arg) => partsOf(arg, context))
    .every(({ kind, part }) => {
      if (wanted.kinds.has(kind)) return true
      if (wanted.isOfAll === true) return assumptions.assume('types', wanted.words)
      const name = part.kind === 'column' ? context.nameOf(part) : `what ${call.op} is given`
      return kind === 'open' && assumptions.assume('types', `${name} ${wanted.words}`)
    })
}

function isSameText(call: Call, context: DialectSemanticsContext): boolean {
  const { dialect, other, assumptions } = context
  const [value, type] = call.args
  const isCast = call.op === 'cast' && type?.kind === 'literal' && type.value === 'text'
  if (!isCast && !joinsTexts.has(call.op)) return true
  return (isCast ? [value] : call.args)
    .flatMap((arg) => (arg === undefined ? [] : partsOf(arg, context)))
    .every(({ kind, part }) => {
      const areAlike = areRenderedAlike(kind, dialect, other)
      if (areAlike !== undefined) return areAlike
      // A value that is concatenated with a text is usually one.
      if (!isCast) return part.kind !== 'apply' || !fractions.has(part.op)
      const text = part.kind === 'column' && `${context.nameOf(part)} holds texts, days or whole numbers`
      return text !== false && assumptions.assumeDialectDefault('types', text)
    })
}

/** Calls that give a number which one dialect writes with a fraction of nothing and another without. */
const fractions: ReadonlySet<string> = new Set([
  'round',
  'floor',
  'ceil',
  'trunc',
  'avg',
  'fdiv',
  'power',
  'sqrt',
])

const joinsTexts: ReadonlySet<string> = new Set(['||', 'string_agg', 'string_agg_or_empty'])

/** Dates and moments beside one another are of one type, but where both are texts. */
function mixesTimes(parts: readonly Part[], { dialect, other }: DialectSemanticsContext): boolean {
  const has = (kind: ExactKind): boolean => parts.some((part) => part.kind === kind)
  return (dialect === 'sqlite' || other === 'sqlite') && has('day') && has('moment')
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=', 'between', 'in_list'])

function comparesAlike(call: Call, context: DialectSemanticsContext): boolean {
  const { op, args } = call
  if (op === 'coalesce') return !mixesTimes(partsOf(call, context), context)
  if (!comparisons.has(op)) return true
  if (!ignoreCaseAlike(call, context)) return false
  // Of what is compared with a literal is said elsewhere.
  const columns = args.filter((arg) => arg.kind === 'column').flatMap((arg) => partsOf(arg, context))
  return !mixesTimes(columns, context)
}

/** In MySQL 'Paid' is 'paid', by the collation that columns have unless they are told otherwise. */
function ignoreCaseAlike({ args }: Call, { dialect, other, assumptions }: DialectSemanticsContext): boolean {
  if ((dialect === 'mysql') === (other === 'mysql')) return true
  const hasLetters = args.some(
    (arg) => arg.kind === 'literal' && arg.type === 'text' && /^\D*\p{L}/u.test(arg.value),
  )
  return (
    !hasLetters ||
    assumptions.assumeBeyondSchema('types', 'no text differs only in case from one in the queries')
  )
}

/** Dialects that give NULL where a path ends at an object or a list; the others give its text. */
const scalarsOnly: ReadonlySet<Dialect> = new Set(['bigquery', 'trino', 'presto'])

function isSameJson(call: Call, { dialect, other, assumptions }: DialectSemanticsContext): boolean {
  if (call.op !== 'json_extract_scalar') return true
  const isSameOfObjects =
    scalarsOnly.has(dialect) === scalarsOnly.has(other) ||
    assumptions.assumeBeyondSchema('types', 'no path into JSON ends at an object or a list')
  const isSameOfNull =
    (dialect === 'mysql') === (other === 'mysql') ||
    assumptions.assumeBeyondSchema('nulls', 'no path into JSON ends at its null')
  return isSameOfObjects && isSameOfNull
}

/** Dialects that make a number of the date. */
const addsNumbers: ReadonlySet<Dialect> = new Set(['sqlite', 'mysql'])

/** Dialects in which a date and a number is a date so many days later. */
const addsDays: ReadonlySet<Dialect> = new Set([...subtractsDays, 'bigquery', 'spark'])

function normalizeDateShift(call: Call, context: DialectSemanticsContext): Call {
  const [date, count, ...rest] = call.args
  if ((call.op !== '+' && call.op !== '-') || date?.kind !== 'column' || rest.length > 0) return call
  const isCount = count?.kind === 'literal' && count.type === 'number' && /^\d+$/u.test(count.value)
  const [part] = partsOf(date, context)
  const isOpen = part?.kind === 'open' && (addsNumbers.has(context.dialect) || addsNumbers.has(context.other))
  if (!isCount || (part?.kind !== 'day' && !isOpen)) return call
  if (isOpen) {
    const name = context.nameOf(part.part.kind === 'column' ? part.part : date)
    const isMade = context.assumptions.assume('types', `${name} holds numbers`)
    return isMade ? call : { ...call, op: `${call.op} of ${context.dialect}` }
  }
  return addsDays.has(context.dialect)
    ? { ...call, args: [date, apply('interval', count, word('day'))] }
    : { ...call, op: `${call.op} of ${context.dialect}` }
}
