import type { Dialect } from '../enums/dialect.js'
import { toCommon } from './functions/common.js'
import { unifyDateSpans, type ZoneTest } from './functions/date-spans.js'
import { unifyShownDays } from './functions/days-shown.js'
import {
  givesInfinityByZero,
  givesNullByZero,
  unifyQuotient,
  withoutWholeCast,
} from './functions/quotients.js'
import { joinedArray } from './functions/string-aggregates.js'
import { unifyTextJoins } from './functions/text-joins.js'
import { foldWeekdays } from './functions/weekdays.js'
import { unifyDivision } from './normalize/arithmetic.js'
import { unifyFormattedDates } from './normalize/formatted-dates.js'
import { unifyLike } from './normalize/like.js'
import { normalize } from './normalize/normalize.js'
import { unifyTextStarts } from './normalize/text-starts.js'
import { unifyWindowFrame } from './normalize/window-frames.js'
import { type NullTests, unifyWindowOrder } from './normalize/window-order.js'
import { type PrintedQuery, printQuery } from './print/print.js'
import type { Assumptions } from './relational/assumptions.js'
import { collectFacts, type Facts } from './relational/facts.js'
import { nameShownKeys, type ShownKeys, shownKeys } from './relational/groups/full-grouping.js'
import { expandGroupingSets, someGroupingSets } from './relational/groups/grouping-sets.js'
import { isNotNull, isOptional } from './relational/nulls.js'
import { applyRules } from './relational/relational.js'
import { sameValueBy } from './relational/same-value.js'
import { zoneTest } from './relational/values/time-kinds.js'
import type { Expression, QueryShape } from './shape/query-shape.js'
import { freshSource } from './shape/renumber.js'
import { rewriteQuery } from './shape/walk.js'
import type { Schema } from './tables/tables.js'
import { dropAssumedCasts } from './typing/assumed-types.js'
import type { ColumnKinds } from './typing/column-kinds.js'
import { numberTest } from './typing/number-test.js'
import { settleTypes } from './typing/typed.js'
import { isVolatileQuery } from './volatile.js'

const looseness: readonly Dialect[] = ['sqlite', 'mysql']

/** Tables that a strict dialect joins have columns of one type in the other database too. */
function stricter(dialect: Dialect, other: Dialect): Dialect {
  return looseness.indexOf(dialect) > looseness.indexOf(other) ? other : dialect
}

export interface FormContext {
  readonly dialect: Dialect
  /** The dialect of the query that it is compared with. */
  readonly other: Dialect
  readonly schema: Schema | undefined
  /** What the columns of both queries hold, where these are in two dialects. */
  readonly columns: ColumnKinds | undefined
  /** Columns, as `table.name`, that one of the queries shows to hold dates or times. */
  readonly times: ReadonlySet<string>
  readonly assumptions: Assumptions
}

/**
 * The query in the words that all dialects share; `across`: to be compared with one in another dialect, whose keys are
 * among `keys`.
 */
export function commonForm(
  query: QueryShape,
  dialect: Dialect,
  across: boolean,
  keys: ShownKeys = shownKeys(query, dialect),
): QueryShape {
  const fresh = freshSource(query)
  return rewriteQuery(query, {
    query: (nested) => expandGroupingSets(nameShownKeys(nested, dialect, keys), fresh),
    expression: (expression) =>
      unifyLike(unifyTextStarts(toCommon(expression, dialect, across), dialect), dialect, across),
  })
}

/** Quotients in one form, and integers without casts to an integer: once it is settled which divisions round. */
function unifyQuotients(query: QueryShape, context: FormContext): QueryShape {
  const { dialect, other, columns, assumptions } = context
  const quotients = {
    dialect,
    isNullByZero: givesNullByZero(dialect, other),
    isInfiniteByZero: givesInfinityByZero(dialect, other),
    isNumber: numberTest(query, columns, assumptions),
    neverByZero: () => assumptions.make('nulls', 'nothing is divided by 0'),
  }
  return rewriteQuery(query, {
    query: (nested) => nested,
    expression: (expression) =>
      joinedArray(unifyQuotient(withoutWholeCast(expression), quotients), () =>
        assumptions.makeOfHabit('nulls', 'no group has nothing but NULLs to join'),
      ),
  })
}

/** What the tables tell of NULLs; rows of subtotals have NULLs of their own. */
function nullTests(query: QueryShape, factsOf: () => Facts): NullTests {
  let facts: Facts | undefined
  const known = (): Facts => {
    facts ??= factsOf()
    return facts
  }
  return {
    isNever: (value) => isNotNull(value, known(), []) && !someGroupingSets(query),
    isOptional: (value) => isOptional(value, known()) || someGroupingSets(query),
  }
}

/** A call in the one form of all that say the same. */
function unifyCall(
  call: Expression,
  context: FormContext,
  inOneZone: ZoneTest,
  nulls: NullTests,
): Expression {
  const { dialect, other, assumptions } = context
  const across = dialect !== other
  const divided = unifyDivision(call, dialect, across ? assumptions : undefined)
  const framed = unifyWindowOrder(unifyWindowFrame(divided, dialect), dialect, assumptions, nulls)
  const dated = unifyDateSpans(foldWeekdays(unifyFormattedDates(framed, dialect)), inOneZone)
  return unifyTextJoins(dated, dialect, across)
}

/**
 * The full canonical form of a bound query in common words: expressions normalised, relational rules applied to a
 * fixpoint, equal columns called alike. Two queries with one form have the same rows, as far as the assumptions made
 * hold.
 */
export function fullForm(common: QueryShape, context: FormContext): PrintedQuery {
  const { dialect, other, schema, columns, times, assumptions } = context
  const across = dialect !== other
  const typed =
    columns === undefined
      ? dropAssumedCasts(common, dialect, schema, assumptions, times)
      : settleTypes(common, context, columns)
  const normalized = normalize(typed, dialect)
  const factsOf = (): Facts => collectFacts(normalized, dialect, schema, assumptions, times)
  const inOneZone = zoneTest(dialect, other, factsOf)
  const nulls = nullTests(normalized, factsOf)
  const normal = rewriteQuery(normalized, {
    query: (nested) => nested,
    expression: (expression) =>
      expression.kind === 'apply' ? unifyCall(expression, context, inOneZone, nulls) : expression,
  })
  const divided = unifyQuotients(normal, context)
  const ruled = isVolatileQuery(divided) ? divided : applyRules(divided, dialect, schema, assumptions, times)
  const plain = ruled === normalized ? ruled : normalize(ruled, dialect)
  const settled = across ? unifyShownDays(plain) : plain
  const facts = collectFacts(settled, dialect, schema, assumptions, times)
  return printQuery(settled, {
    qualify: false,
    sameValue: sameValueBy({ ...facts, dialect: stricter(dialect, other) }),
  })
}
