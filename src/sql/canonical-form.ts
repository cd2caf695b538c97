import type { Dialect } from '../enums/dialect.js'
import { canonicalizeQuery, queryToCommonDialect } from './canonicalize.js'
import { type CompareOptions, type DialectQuery, trustedAssumptionKinds } from './compare.js'
import type { SqlParser } from './parser-interface.js'
import { bindQueryPair, canonicalizePair, mapPair, toCommonDialect } from './query-pair.js'
import { Assumptions } from './relational/assumptions.js'
import { resolveAmbiguousNames } from './shape/alias-ambiguity.js'
import { resolveOuterColumns } from './shape/outer-column-ambiguity.js'
import type { QueryShape } from './shape/query-shape.js'
import type { Schema } from './tables/table-schema.js'
import { inferTemporalColumns } from './typing/temporal-columns.js'

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
  return parsed.kind === 'query' ? canonicalText(parsed.shape, dialect, schema) : undefined
}

/**
 * Whether `sql` equals the expected query except for an ORDER BY of its own; never where a LIMIT makes the order decide
 * which rows there are.
 */
export function isEqualIgnoringOrder(
  parser: SqlParser,
  expected: string,
  sql: string,
  dialect: Dialect,
): boolean {
  const parsed = parser.parse(sql, dialect)
  if (parsed.kind !== 'query') return false
  const { orderBy, limit, offset, extras } = parsed.shape
  if (orderBy.length === 0 || limit !== undefined || offset !== undefined || extras.length > 0) return false
  return canonicalText({ ...parsed.shape, orderBy: [] }, dialect) === canonicalForm(parser, expected, dialect)
}

function canonicalText(shape: QueryShape, dialect: Dialect, schema?: Schema | undefined): string {
  const assumptions = new Assumptions(new Set())
  const common = queryToCommonDialect(resolveOuterColumns(shape, new Set()), dialect, false)
  const times = inferTemporalColumns(common, dialect)
  return canonicalizeQuery(common, {
    dialect,
    other: dialect,
    schema,
    columns: undefined,
    times,
    assumptions,
  }).text
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
  expected: DialectQuery,
  generated: DialectQuery,
  options: CompareOptions = {},
): CanonicalForms {
  const { schema } = options
  const bound = bindQueryPair(parser, expected, generated, schema)
  if (bound.kind === 'unparsable') {
    const form = (side: DialectQuery): string | undefined =>
      canonicalForm(parser, side.sql, side.dialect, schema)
    return { expected: form(expected), generated: form(generated) }
  }
  const common = toCommonDialect(
    mapPair(bound.shapes, (shape) => resolveAmbiguousNames(shape, new Set())),
    bound.dialects,
    schema,
  )
  const forms = canonicalizePair(common, schema, new Set(trustedAssumptionKinds(options)))
  return { expected: forms.expected.text, generated: forms.generated.text }
}
