import { conjunction, conjuncts, type Expression, type QueryShape } from '../shape/query-shape.js'

/** Drops `1 = 1` and TRUE from WHERE, as generators of SQL write them. */
export function dropTrivialConditions(query: QueryShape): QueryShape {
  if (query.kind !== 'select') return query
  const conditions = conjuncts(query.where)
  const kept = conditions.filter((part) => !isTrivial(part))
  return kept.length === conditions.length ? query : { ...query, where: conjunction(kept) }
}

export function isTrivial(condition: Expression): boolean {
  if (condition.kind === 'literal') return condition.type === 'boolean' && condition.value === 'true'
  if (condition.kind !== 'apply' || condition.op !== '=') return false
  const [left, right] = condition.args
  if (left?.kind !== 'literal' || right?.kind !== 'literal') return false
  return left.type === right.type && left.value === right.value
}
