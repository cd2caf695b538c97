import { isFalse, isNull } from '../../conditions/boolean-expressions.js'
import { buildCase, searchedCaseOf } from '../../conditions/case-expression.js'
import { type Bound, boundOf, compareLiterals, type Literal } from '../../conditions/literal-bounds.js'
import { unorderedNaN } from '../../normalize/predicates.js'
import { apply, conjunction, type Expression } from '../../shape/query-shape.js'
import { isSameExpression } from '../column-references.js'
import { isNumberColumn, valueOrderOf } from '../filters.js'
import { isStable } from '../known-functions.js'
import { isNotNull } from '../nullability.js'
import { declaredType, type Facts } from '../table-facts.js'
import { isIntegerValued } from './integer-values.js'

/** Values below which one bucket ends and the next begins; `after`: the value itself is in the first. */
interface BucketBoundary {
  readonly value: Literal
  readonly after: boolean
}

/** The result of a CASE for values up to a bound; for all remaining values where there is no bound. */
interface Bucket {
  readonly result: Expression
  readonly end: BucketBoundary | undefined
}

/** More buckets than this are left as they are written. */
const maxCuts = 30

/**
 * One way to write a CASE that puts the values of one column into buckets, whatever the order of its branches and
 * whether they repeat what earlier ones have left: from the lowest bucket to the highest. The same object otherwise.
 */
export function normalizeBuckets(expression: Expression, facts: Facts): Expression {
  const cases = searchedCaseOf(expression)
  if (cases === undefined || cases.branches.length > maxCuts) return expression
  const bounds = cases.branches.map(({ when }) => boundsIn(when))
  const [subject] = bounds.flatMap((all) => all?.map((bound) => bound.subject) ?? [])
  if (subject === undefined || !isStable(subject) || !isOrdered(subject, facts)) return expression
  const isOfOne = bounds.every((all) =>
    all?.every((bound) => isSameExpression(bound.subject, subject) && bound.op !== '<>'),
  )
  if (!isOfOne || !bounds.flat().some((bound) => bound !== undefined && bound.op !== '=')) return expression
  if (![...cases.branches.map(({ result }) => result), cases.otherwise].every(isStable)) return expression
  const read = isIntegerValued(subject, facts) ? wholeCuts : cutsOf
  const cuts = inOrder(bounds.flatMap((all) => all?.flatMap(read) ?? []))
  if (cuts === undefined || cuts.length > maxCuts) return expression
  const resultAt = (place: number): Expression =>
    cases.branches.find(({ when }) => holdsAt(when, place, (bound) => placesOf(read(bound), cuts)))?.result ??
    cases.otherwise
  const buckets = joined(
    Array.from({ length: cuts.length + 1 }, (_, place) => ({ result: resultAt(place), end: cuts[place] })),
  )
  const written = isEveryValueInOne(subject, facts)
    ? withElse(subject, buckets)
    : withNull(subject, buckets, cases.otherwise)
  return written === undefined || isSameExpression(written, expression) ? expression : written
}

/** Whether values have one order, in both databases where there are two. */
function isOrdered(subject: Expression, facts: Facts): boolean {
  return facts.assumptions.isCrossDialect
    ? isNumberColumn(subject, facts)
    : valueOrderOf(facts).isOrdered(subject)
}

/** Whether a value is surely neither NULL nor a NaN, which is in no bucket where it has no place in the order. */
function isEveryValueInOne(subject: Expression, facts: Facts): boolean {
  const isExact = /int|decimal|numeric|date|time/u.test(declaredType(subject, facts) ?? '')
  const hasPlace = isExact || (!facts.assumptions.isCrossDialect && !unorderedNaN.has(facts.dialect))
  return hasPlace && isNotNull(subject, facts, []) && !facts.mayReadWithoutRow()
}

/** The comparisons that a condition consists of; undefined where it says something else as well. */
function boundsIn(when: Expression): readonly Bound[] | undefined {
  if (when.kind === 'apply' && (when.op === 'and' || when.op === 'or')) {
    const parts = when.args.map(boundsIn)
    return parts.every((part) => part !== undefined) ? parts.flat() : undefined
  }
  const bound = boundOf(when)
  return bound === undefined ? undefined : [bound]
}

/** The cuts in order, each once; undefined where their values have none. */
function inOrder(cuts: readonly BucketBoundary[]): readonly BucketBoundary[] | undefined {
  const kept: BucketBoundary[] = []
  for (const cut of cuts) {
    const orders = kept.map((other) => compareCuts(cut, other))
    if (orders.some((order) => order === undefined || Number.isNaN(order))) return undefined
    const place = orders.filter((order) => order !== undefined && order > 0).length
    if (!orders.includes(0)) kept.splice(place, 0, cut)
  }
  return kept
}

function cutsOf({ op, value }: Bound): readonly BucketBoundary[] {
  const before = { value, after: false }
  const behind = { value, after: true }
  if (op === '=') return [before, behind]
  return op === '<' || op === '>=' ? [before] : [behind]
}

/** Of whole numbers, those up to 7 are those below 8. */
function wholeCuts(bound: Bound): readonly BucketBoundary[] {
  return cutsOf(bound).map((cut) => {
    const { value, after } = cut
    const isShort = value.type === 'number' && /^-?\d{1,9}$/u.test(value.value)
    return after && isShort
      ? { value: { ...value, value: String(Number(value.value) + 1) }, after: false }
      : cut
  })
}

function compareCuts(a: BucketBoundary, b: BucketBoundary): number | undefined {
  const order = compareLiterals(a.value, b.value)
  return order === 0 ? Number(a.after) - Number(b.after) : order
}

function placesOf(wanted: readonly BucketBoundary[], cuts: readonly BucketBoundary[]): readonly number[] {
  return wanted.map((cut) => cuts.findIndex((other) => compareCuts(cut, other) === 0))
}

/** Whether the condition holds for the values between a cut and the one before it. */
function holdsAt(
  when: Expression,
  place: number,
  placesOfBound: (bound: Bound) => readonly number[],
): boolean {
  const inner = (part: Expression): boolean => holdsAt(part, place, placesOfBound)
  if (when.kind === 'apply' && when.op === 'and') return when.args.every(inner)
  if (when.kind === 'apply' && when.op === 'or') return when.args.some(inner)
  const bound = boundOf(when)
  if (bound === undefined) return false
  const [first = 0, second = 0] = placesOfBound(bound)
  if (bound.op === '=') return place > first && place <= second
  return bound.op === '<' || bound.op === '<=' ? place <= first : place > first
}

function joined(buckets: readonly Bucket[]): readonly Bucket[] {
  return buckets.filter(({ result }, at) => {
    const next = buckets[at + 1]
    return next === undefined || !isSameExpression(result, next.result)
  })
}

/** Where NULL is in no bucket, ELSE is what is given for it. */
function withNull(
  subject: Expression,
  buckets: readonly Bucket[],
  otherwise: Expression,
): Expression | undefined {
  const [last, before] = [buckets.at(-1), buckets.at(-2)?.end]
  // All values alike, and NULL not: no bound says so.
  if (last === undefined || before === undefined) return undefined
  const single = onlyOther(buckets, otherwise)
  if (single !== undefined) return buildCase({ branches: [branchOf(subject, buckets, single)], otherwise })
  const branches = buckets.slice(0, -1).map(({ result, end }) => ({ when: below(subject, end), result }))
  const rest = isSameExpression(last.result, otherwise)
    ? []
    : [{ when: above(subject, before), result: last.result }]
  return buildCase({ branches: [...branches, ...rest], otherwise })
}

function withElse(subject: Expression, buckets: readonly Bucket[]): Expression | undefined {
  const last = buckets.at(-1)
  if (last === undefined) return undefined
  if (buckets.length === 1) return last.result
  const nothing = buckets.find(({ result }) => isNeutralResult(result)) ?? last
  const single = onlyOther(buckets, nothing.result)
  const isDecided = isNeutralResult(nothing.result) || buckets.length > 2
  if (single !== undefined && isDecided)
    return buildCase({ branches: [branchOf(subject, buckets, single)], otherwise: nothing.result })
  const branches = buckets.slice(0, -1).map(({ result, end }) => ({ when: below(subject, end), result }))
  return buildCase({ branches, otherwise: last.result })
}

/** Whether a result adds nothing to a count or a sum, as that of ELSE often does. */
function isNeutralResult(result: Expression): boolean {
  return (
    isNull(result) ||
    isFalse(result) ||
    (result.kind === 'literal' && result.type === 'number' && Number(result.value) === 0)
  )
}

/** The one bucket that gives something else. */
function onlyOther(buckets: readonly Bucket[], result: Expression): number | undefined {
  const others = buckets.flatMap((bucket, at) => (isSameExpression(bucket.result, result) ? [] : [at]))
  return others.length === 1 ? others[0] : undefined
}

function branchOf(
  subject: Expression,
  buckets: readonly Bucket[],
  at: number,
): { readonly when: Expression; readonly result: Expression } {
  const [start, bucket] = [buckets[at - 1]?.end, buckets[at]]
  const bounds = [
    ...(start === undefined ? [] : [above(subject, start)]),
    ...(bucket?.end === undefined ? [] : [below(subject, bucket.end)]),
  ]
  return { when: conjunction(bounds) ?? subject, result: bucket?.result ?? subject }
}

function below(subject: Expression, cut: BucketBoundary | undefined): Expression {
  return cut === undefined ? subject : apply(cut.after ? '<=' : '<', subject, cut.value)
}

function above(subject: Expression, cut: BucketBoundary): Expression {
  return apply(cut.after ? '<' : '<=', cut.value, subject)
}
