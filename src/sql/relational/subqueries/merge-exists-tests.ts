import {
  apply,
  conjunction,
  type Expression,
  type FromNode,
  type SelectShape,
} from '../../shape/query-shape.js'
import { includesExpression, isSameExpression, replaceColumnsIn } from '../column-references.js'
import { isRowSet } from '../duplicate-insensitivity.js'
import { blockOf, withBlock } from '../join-block.js'
import { isStable } from '../known-functions.js'

type Call = Expression & { kind: 'apply' }
type Table = FromNode & { kind: 'table' }

/** More tests side by side are left as they are. */
const mostTests = 20

/**
 * Tests of the rows of one table that stand side by side, as one: EXISTS of rows with a or EXISTS of rows with b is EXISTS
 * of rows with a or b, and so with IN, in three-valued logic too; NOT EXISTS of either asks that neither exists.
 */
export function mergeExistsTests(expression: Expression): Expression {
  if (expression.kind !== 'apply' || (expression.op !== 'or' && expression.op !== 'and')) return expression
  const isAny = expression.op === 'or'
  const tests = expression.args.filter((arg) => testIn(arg, isAny) !== undefined)
  if (tests.length < 2 || tests.length > mostTests) return expression
  const merged: Expression[] = []
  for (const arg of expression.args) {
    const test = testIn(arg, isAny)
    const at =
      test === undefined ? -1 : merged.findIndex((other) => mergedWith(other, test, isAny) !== undefined)
    const other = merged[at]
    const both = test === undefined || other === undefined ? undefined : mergedWith(other, test, isAny)
    if (both === undefined) merged.push(arg)
    else merged[at] = both
  }
  if (merged.length === expression.args.length) return expression
  const [only] = merged
  return only !== undefined && merged.length === 1 ? only : { ...expression, args: merged }
}

/** The EXISTS or IN of a subquery that is written, or denied where all of several must hold. */
function testIn(value: Expression, isAny: boolean): Call | undefined {
  if (value.kind !== 'apply') return undefined
  if (!isAny) {
    const [denied] = value.op === 'not' ? value.args : []
    return denied === undefined ? undefined : testIn(denied, true)
  }
  const isTest = value.op === 'exists' || (value.op === 'in' && value.args.length === 2)
  return isTest && value.args.at(-1)?.kind === 'query' ? value : undefined
}

function mergedWith(other: Expression, test: Call, isAny: boolean): Expression | undefined {
  const known = testIn(other, isAny)
  if (known === undefined || known.op !== test.op) return undefined
  const [a, b] = [known.args.at(-1), test.args.at(-1)]
  if (a?.kind !== 'query' || b?.kind !== 'query' || a.query.kind !== 'select' || b.query.kind !== 'select')
    return undefined
  const [value, tested] = [known.args[0], test.args[0]]
  if (
    test.op === 'in' &&
    (value === undefined || tested === undefined || !isSameExpression(value, tested) || !isStable(value))
  )
    return undefined
  const query = rowsOfEither(a.query, b.query, test.op === 'in')
  if (query === undefined) return undefined
  const both = { ...known, args: [...known.args.slice(0, -1), { kind: 'query' as const, query }] }
  return isAny ? both : apply('not', both)
}

/** One SELECT of the rows of both, which are of one table. */
function rowsOfEither(a: SelectShape, b: SelectShape, isShown: boolean): SelectShape | undefined {
  const [one, two] = [tableOf(a), tableOf(b)]
  if (one === undefined || two === undefined || one.name !== two.name) return undefined
  const renamed = (value: Expression): Expression =>
    replaceColumnsIn(value, (column) =>
      column.source === two.id ? { ...column, source: one.id } : undefined,
    )
  const shown = b.outputs.map(renamed)
  if (
    isShown &&
    (a.outputs.length !== shown.length || !a.outputs.every((value, at) => sameOrFalse(value, shown[at])))
  )
    return undefined
  const block = blockOf(a)
  const [first, second] = [block.where, blockOf(b).where.map(renamed)]
  if (![...first, ...second, ...a.outputs].every(isStable)) return undefined
  const common = first.filter((condition) => includesExpression(second, condition))
  const rests = [first, second].map((where) =>
    where.filter((condition) => !includesExpression(common, condition)),
  )
  const options = rests.map((rest) => conjunction(rest)).filter((option) => option !== undefined)
  // A test without further conditions accepts all rows that the other one does.
  const where = options.length < rests.length ? common : [...common, apply('or', ...options)]
  return withBlock(a, { ...block, where })
}

function sameOrFalse(value: Expression, other: Expression | undefined): boolean {
  return other !== undefined && isSameExpression(value, other)
}

/** The only table that a set of rows is chosen from. */
function tableOf(select: SelectShape): Table | undefined {
  if (!isRowSet(select)) return undefined
  const { items, lefts } = blockOf(select)
  const [item, another] = items
  const isAlone = another === undefined && lefts.length === 0
  return isAlone && item?.kind === 'table' && item.extras.length === 0 ? item : undefined
}
