import type { Dialect } from '../enums/dialect.js'
import { toCommonFunction } from './functions/common-functions.js'
import {
  dropIntegerCast,
  givesInfinityByZero,
  givesNullByZero,
  normalizeQuotient,
} from './functions/float-division.js'
import { normalizeIntervals, type ZoneTest } from './functions/interval-arithmetic.js'
import { normalizeOutputDates } from './functions/output-dates.js'
import { arrayToStringAgg } from './functions/string-aggregates.js'
import { normalizeConcatenation } from './functions/string-concatenation.js'
import { foldWeekdays } from './functions/weekdays.js'
import { normalizeDivision } from './normalize/division.js'
import { normalizeFormattedDates } from './normalize/formatted-dates.js'
import { normalizeLike } from './normalize/like.js'
import { normalize } from './normalize/normalize.js'
import { stringSearchToLike } from './normalize/string-search-to-like.js'
import { normalizeWindowFrame } from './normalize/window-frames.js'
import { type NullTests, normalizeWindowOrder } from './normalize/window-order.js'
import { type PrintedQuery, printQuery } from './print/print.js'
import { applyRules } from './relational/apply-rules.js'
import type { Assumptions } from './relational/assumptions.js'
import {
  addDependentGroupKeys,
  type ImpliedKeys,
  inferImpliedKeys,
} from './relational/groups/dependent-group-keys.js'
import { expandGroupingSets, someGroupingSets } from './relational/groups/grouping-sets.js'
import { isNotNull, isOptional } from './relational/nullability.js'
import { createSameValueTest } from './relational/same-value-test.js'
import { collectFacts, type Facts } from './relational/table-facts.js'
import { zoneTest } from './relational/values/temporal-kinds.js'
import type { Expression, QueryShape } from './shape/query-shape.js'
import { rewriteQuery } from './shape/rewrite-query.js'
import { createSourceIds } from './shape/source-ids.js'
import type { Schema } from './tables/table-schema.js'
import { dropAssumedCasts } from './typing/assumed-types.js'
import type { ColumnKinds } from './typing/infer-column-kinds.js'
import { normalizeByType } from './typing/normalize-by-type.js'
import { createNumberTest } from './typing/number-test.js'
import { isVolatileQuery } from './volatile-functions.js'

const dialectsByStrictness: readonly Dialect[] = ['sqlite', 'mysql']

/** Tables that a strict dialect joins have columns of one type in the other database too. */
function stricterDialect(dialect: Dialect, other: Dialect): Dialect {
  return dialectsByStrictness.indexOf(dialect) > dialectsByStrictness.indexOf(other) ? other : dialect
}

export interface CanonicalizationContext {
  readonly dialect: Dialect
  /** The dialect of the query that it is compared with. */
  readonly other: Dialect
  readonly schema: Schema | undefined
  /** The kinds of values in the columns of both queries, where these are in two dialects. */
  readonly columns: ColumnKinds | undefined
  /** Columns, as `table.name`, that one of the queries shows to hold dates or times. */
  readonly times: ReadonlySet<string>
  readonly assumptions: Assumptions
}

/**
 * The query in the words that all dialects share; `across`: to be compared with one in another dialect, whose keys are
 * among `keys`.
 */
export function queryToCommonDialect(
  query: QueryShape,
  dialect: Dialect,
  across: boolean,
  keys: ImpliedKeys = inferImpliedKeys(query, dialect),
): QueryShape {
  const fresh = createSourceIds(query)
  return rewriteQuery(query, {
    query: (nested) => expandGroupingSets(addDependentGroupKeys(nested, dialect, keys), fresh),
    expression: (expression) =>
      normalizeLike(
        stringSearchToLike(toCommonFunction(expression, dialect, across), dialect),
        dialect,
        across,
      ),
  })
}

/** Quotients in one form, and integers without casts to an integer: once it is settled which divisions round. */
function normalizeQuotients(query: QueryShape, context: CanonicalizationContext): QueryShape {
  const { dialect, other, columns, assumptions } = context
  const quotients = {
    dialect,
    isNullByZero: givesNullByZero(dialect, other),
    isInfiniteByZero: givesInfinityByZero(dialect, other),
    isNumber: createNumberTest(query, columns, assumptions),
    assumeNoZeroDivision: () => assumptions.assume('nulls', 'nothing is divided by 0'),
  }
  return rewriteQuery(query, {
    query: (nested) => nested,
    expression: (expression) =>
      arrayToStringAgg(normalizeQuotient(dropIntegerCast(expression), quotients), () =>
        assumptions.assumeDialectDefault('nulls', 'no group has only NULLs to join'),
      ),
  })
}

/** Returns the NULL tests that the tables imply; rows of subtotals have NULLs of their own. */
function createNullTests(query: QueryShape, factsOf: () => Facts): NullTests {
  let facts: Facts | undefined
  const known = (): Facts => {
    facts ??= factsOf()
    return facts
  }
  return {
    isNeverNull: (value) => isNotNull(value, known(), []) && !someGroupingSets(query),
    isOptional: (value) => isOptional(value, known()) || someGroupingSets(query),
  }
}

/** A call in the one form of all that say the same. */
function normalizeCall(
  call: Expression,
  context: CanonicalizationContext,
  inOneZone: ZoneTest,
  nulls: NullTests,
): Expression {
  const { dialect, other, assumptions } = context
  const across = dialect !== other
  const divided = normalizeDivision(call, dialect, across ? assumptions : undefined)
  const framed = normalizeWindowOrder(normalizeWindowFrame(divided, dialect), dialect, assumptions, nulls)
  const dated = normalizeIntervals(foldWeekdays(normalizeFormattedDates(framed, dialect)), inOneZone)
  return normalizeConcatenation(dated, dialect, across)
}

/**
 * The full canonical form of a bound query in common words: expressions normalised, relational rules applied to a
 * fixpoint, equal columns called alike. Two queries with one form have the same rows, as far as the assumptions made
 * hold.
 */
export function canonicalizeQuery(common: QueryShape, context: CanonicalizationContext): PrintedQuery {
  const { dialect, other, schema, columns, times, assumptions } = context
  const across = dialect !== other
  const typed =
    columns === undefined
      ? dropAssumedCasts(common, dialect, schema, assumptions, times)
      : normalizeByType(common, context, columns)
  const normalized = normalize(typed, dialect)
  const factsOf = (): Facts => collectFacts(normalized, dialect, schema, assumptions, times)
  const inOneZone = zoneTest(dialect, other, factsOf)
  const nulls = createNullTests(normalized, factsOf)
  const normal = rewriteQuery(normalized, {
    query: (nested) => nested,
    expression: (expression) =>
      expression.kind === 'apply' ? normalizeCall(expression, context, inOneZone, nulls) : expression,
  })
  const divided = normalizeQuotients(normal, context)
  const ruled = isVolatileQuery(divided) ? divided : applyRules(divided, dialect, schema, assumptions, times)
  const plain = ruled === normalized ? ruled : normalize(ruled, dialect)
  const settled = across ? normalizeOutputDates(plain) : plain
  const facts = collectFacts(settled, dialect, schema, assumptions, times)
  return printQuery(settled, {
    qualify: false,
    sameValue: createSameValueTest({ ...facts, dialect: stricterDialect(dialect, other) }),
  })
}
