import type { Dialect } from '../enums/dialect.js'
import { type CompareOptions, type Side, trusted } from './compare.js'
import { commonForm, fullForm } from './form.js'
import type { SqlParser } from './port.js'
import { Assumptions } from './relational/assumptions.js'
import { readNames } from './shape/alias-readings.js'
import { readOuter } from './shape/outer-readings.js'
import type { QueryShape } from './shape/query-shape.js'
import { bindSides, both, formsUnder, inCommonWords } from './sides.js'
import type { Schema } from './tables/tables.js'
import { shownTimes } from './typing/shown-times.js'

/**
 * The canonical form of a query, undefined when it cannot be parsed. Queries with one form mean the same, without
 * any assumption; the form depends on nothing but the arguments.
 */
export function canonicalForm(
  parser: SqlParser,
  sql: string,
  dialect: Dialect,
  schema?: Schema | undefined,
): string | undefined {
  const parsed = parser.parse(sql, dialect, schema)
  return parsed.kind === 'query' ? formOf(parsed.shape, dialect, schema) : undefined
}

/**
 * Whether a query is one that asks for no order, but for the order in which it gives out its rows; not where that decides
 * which rows there are.
 */
export function equalInAnyOrder(parser: SqlParser, expected: string, sql: string, dialect: Dialect): boolean {
  const parsed = parser.parse(sql, dialect)
  if (parsed.kind !== 'query') return false
  const { orderBy, limit, offset, extras } = parsed.shape
  if (orderBy.length === 0 || limit !== undefined || offset !== undefined || extras.length > 0) return false
  return formOf({ ...parsed.shape, orderBy: [] }, dialect) === canonicalForm(parser, expected, dialect)
}

function formOf(shape: QueryShape, dialect: Dialect, schema?: Schema | undefined): string {
  const assumptions = new Assumptions(new Set())
  const common = commonForm(readOuter(shape, new Set()), dialect, false)
  const times = shownTimes(common, dialect)
  return fullForm(common, { dialect, other: dialect, schema, columns: undefined, times, assumptions }).text
}

/** Undefined where a query cannot be parsed. */
export interface CanonicalForms {
  readonly expected: string | undefined
  readonly generated: string | undefined
}

/**
 * The canonical forms of two queries side by side, as `compareSides` compares them without assumptions; undefined
 * where a query cannot be parsed.
 */
export function canonicalForms(
  parser: SqlParser,
  expected: Side,
  generated: Side,
  options: CompareOptions = {},
): CanonicalForms {
  const { schema } = options
  const bound = bindSides(parser, expected, generated, schema)
  if (bound.kind === 'unparsable') {
    const form = (side: Side): string | undefined => canonicalForm(parser, side.sql, side.dialect, schema)
    return { expected: form(expected), generated: form(generated) }
  }
  const common = inCommonWords(
    both(bound.shapes, (shape) => readNames(shape, new Set())),
    bound.dialects,
    schema,
  )
  const forms = formsUnder(common, schema, new Set(trusted(options)))
  return { expected: forms.expected.text, generated: forms.generated.text }
}
