import { falseLiteral } from '../../conditions/boolean-expressions.js'
import { apply, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll, someDeep } from '../../shape/rewrite-query.js'
import { blockOf, withBlock } from '../join-block.js'
import { isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

/** `x IS NOT NULL` and `x IS NULL` where other conditions reject NULL, or x never is. */
export function dropImpliedNotNull(select: SelectShape, facts: Facts): SelectShape {
  if (select.where === undefined) return select
  const block = blockOf(select)
  let readers: ReadonlyMap<string, readonly Expression[]> | undefined
  const isGiven = (value: Expression | undefined, condition: Expression): boolean => {
    if (value === undefined) return false
    readers ??= byColumn(block.where)
    const about = columnNames(value).flatMap((name) => readers?.get(name) ?? [])
    return isNotNull(
      value,
      facts,
      about.filter((other) => other !== condition),
    )
  }
  const implied = block.where.find((condition) => {
    const [test] = condition.kind === 'apply' && condition.op === 'not' ? condition.args : []
    return test !== undefined && isGiven(testedBy(test), condition)
  })
  if (implied !== undefined)
    return withBlock(select, { ...block, where: block.where.filter((condition) => condition !== implied) })
  const where = mapAll(block.where, (condition) => {
    const options = condition.kind === 'apply' && condition.op === 'or' ? condition.args : [condition]
    const left = options.filter((option) => !isGiven(testedBy(option), condition))
    const [first = falseLiteral] = left
    return left.length === options.length ? condition : left.length < 2 ? first : apply('or', ...left)
  })
  return where === block.where ? select : withBlock(select, { ...block, where })
}

/** The conditions that read columns of each name: no others can reject NULL there, and there may be thousands. */
function byColumn(conditions: readonly Expression[]): ReadonlyMap<string, readonly Expression[]> {
  const readers = new Map<string, Expression[]>()
  for (const condition of conditions) {
    for (const name of columnNames(condition)) {
      const known = readers.get(name)
      if (known === undefined) readers.set(name, [condition])
      else known.push(condition)
    }
  }
  return readers
}

/** By what two columns that are the same have in common. */
function columnNames(expression: Expression): readonly string[] {
  const names = new Set<string>()
  someDeep(expression, (part) => {
    if (part.kind === 'column') names.add(String(part.output ?? part.name))
    return false
  })
  return [...names]
}

/** The value of which a NULL test asks. */
function testedBy(test: Expression): Expression | undefined {
  return test.kind === 'apply' && test.op === 'is_null' ? test.args[0] : undefined
}
