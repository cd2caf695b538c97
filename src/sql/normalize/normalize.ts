import type { Dialect } from '../../enums/dialect.js'
import type { QueryShape } from '../shape/query-shape.js'
import { rewriteQuery } from '../shape/rewrite-query.js'
import { normalizeDates } from './dates.js'
import { simplifyExists } from './exists.js'
import { normalizeJsonArrows } from './json-arrows.js'
import { normalizePredicate } from './predicates.js'
import { inlineRenameOnlyDerived } from './rename-only-derived.js'
import { dropTrivialConditions } from './trivial-conditions.js'

/** Queries never change, and most are normalised twice: as they are, and in the common dialect, which often changes nothing. */
const cachedQueries = new WeakMap<QueryShape, Map<Dialect, QueryShape>>()

/** Applies the equivalences that need no assumption, each a pass of its own; the result means the same. */
export function normalize(query: QueryShape, dialect: Dialect): QueryShape {
  const found = cachedQueries.get(query)?.get(dialect)
  if (found !== undefined) return found
  const normal = normalized(query, dialect)
  cachedQueries.set(query, (cachedQueries.get(query) ?? new Map()).set(dialect, normal))
  return normal
}

function normalized(query: QueryShape, dialect: Dialect): QueryShape {
  return rewriteQuery(normalizeJsonArrows(query, dialect), {
    expression: (expression) =>
      simplifyExists(normalizePredicate(normalizeDates(expression, dialect), dialect)),
    query: (shape) => inlineRenameOnlyDerived(dropTrivialConditions(shape)),
  })
}
