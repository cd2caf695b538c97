import type { Dialect } from '../../enums/dialect.js'
import type { QueryShape } from '../shape/query-shape.js'
import { rewriteQuery } from '../shape/walk.js'
import { unifyDates } from './dates.js'
import { inlineDerived } from './derived.js'
import { simplifyExists } from './exists.js'
import { unifyJsonValues } from './json-values.js'
import { unifyPredicates } from './predicates.js'
import { dropTrivialConditions } from './trivial.js'

/** Queries never change, and most are asked for twice: as they are, and in common words that change nothing. */
const known = new WeakMap<QueryShape, Map<Dialect, QueryShape>>()

/** Applies the equivalences that need no assumption, each a pass of its own; the result means the same. */
export function normalize(query: QueryShape, dialect: Dialect): QueryShape {
  const found = known.get(query)?.get(dialect)
  if (found !== undefined) return found
  const normal = normalized(query, dialect)
  known.set(query, (known.get(query) ?? new Map()).set(dialect, normal))
  return normal
}

function normalized(query: QueryShape, dialect: Dialect): QueryShape {
  return rewriteQuery(unifyJsonValues(query, dialect), {
    expression: (expression) => simplifyExists(unifyPredicates(unifyDates(expression, dialect), dialect)),
    query: (shape) => inlineDerived(dropTrivialConditions(shape)),
  })
}
