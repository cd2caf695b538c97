import { falseLiteral, trueLiteral } from '../conditions/boolean-expressions.js'
import { apply, conjunction, conjuncts, type Expression, type QueryShape } from '../shape/query-shape.js'
import { mapAll } from '../shape/rewrite-query.js'

/** Drops `1 = 1` and TRUE from WHERE, as generators of SQL write them; a number there, or in HAVING, is TRUE or FALSE. */
export function dropTrivialConditions(query: QueryShape): QueryShape {
  if (query.kind !== 'select') return query
  const conditions = conjuncts(query.where)
  const read = mapAll(conditions, truthOf)
  const kept = read.filter((part) => !isTrivial(part))
  const where = read === conditions && kept.length === conditions.length ? query.where : conjunction(kept)
  const having = query.having && truthOf(query.having)
  return where === query.where && having === query.having ? query : { ...query, where, having }
}

/** Where numbers are conditions, all but 0 are true; elsewhere the query is refused. */
function truthOf(condition: Expression): Expression {
  if (condition.kind === 'literal' && condition.type === 'number' && /^-?\d{1,9}$/u.test(condition.value))
    return Number(condition.value) === 0 ? falseLiteral : trueLiteral
  if (condition.kind !== 'apply' || !junctions.has(condition.op)) return condition
  const args = mapAll(condition.args, truthOf)
  return args === condition.args ? condition : apply(condition.op, ...args)
}

const junctions: ReadonlySet<string> = new Set(['and', 'or', 'not'])

export function isTrivial(condition: Expression): boolean {
  if (condition.kind === 'literal') return condition.type === 'boolean' && condition.value === 'true'
  if (condition.kind !== 'apply' || condition.op !== '=') return false
  const [left, right] = condition.args
  if (left?.kind !== 'literal' || right?.kind !== 'literal') return false
  return left.type === right.type && left.value === right.value
}
