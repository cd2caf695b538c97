import type { SqlDifference } from '../structural-comparison.js'
import type { Part } from './canonical-parts.js'
import type { PrintedQuery } from './print.js'

type QueryPart = Part<PrintedQuery>

/**
 * How the generated query departs from the expected one, by component and in words; at least one difference
 * for two queries whose canonical texts differ.
 */
export function describeDifferences(expected: PrintedQuery, generated: PrintedQuery): SqlDifference[] {
  const differences = [
    ...operandDifferences(expected, generated),
    ...partDifferences(partsBeside(expected, generated), partsBeside(generated, expected)),
  ]
  if (differences.length > 0 || expected.text === generated.text) return differences
  return [changedDifference('tables', 'query', expected.text, generated.text)]
}

function operandDifferences(expected: PrintedQuery, generated: PrintedQuery): SqlDifference[] {
  if (expected.operation === undefined && generated.operation === undefined) return []
  const wanted = expected.operation ?? 'SELECT'
  const found = generated.operation ?? 'SELECT'
  if (wanted !== found) {
    const isOneSelect = expected.operation === undefined || generated.operation === undefined
    const operands = isOneSelect ? [] : differencesOfOperands(expected, generated, wanted, found)
    return [changedDifference('set_operations', 'set operation', wanted, found), ...operands]
  }
  return differencesOfOperands(expected, generated, wanted, found)
}

function differencesOfOperands(
  expected: PrintedQuery,
  generated: PrintedQuery,
  wanted: string,
  found: string,
): SqlDifference[] {
  const { missing, extra } = compareBags(expected.operands, generated.operands, (operand) => operand.text)
  const [left, right] = [missing[0], extra[0]]
  if (missing.length === 1 && extra.length === 1 && left !== undefined && right !== undefined) {
    return describeDifferences(left, right).map((difference) =>
      withLocation(`operand of ${found}`, difference),
    )
  }
  const gone = missing.map(({ text }) => missingDifference('set_operations', `operand of ${wanted}`, text))
  const added = extra.map(({ text }) => extraDifference('set_operations', `operand of ${found}`, text))
  const reordered =
    wanted === found &&
    missing.length === 0 &&
    extra.length === 0 &&
    expected.operands.some(({ text }, at) => text !== generated.operands[at]?.text)
  const order = (query: PrintedQuery): string => query.operands.map(({ text }) => text).join(` ${wanted} `)
  return [
    ...gone,
    ...added,
    ...(reordered
      ? [changedDifference('set_operations', `operands of ${wanted}`, order(expected), order(generated))]
      : []),
  ]
}

/** Beside a SELECT, a set operation has what any of its operands has: a table that one of them reads is not missing. */
function partsBeside(query: PrintedQuery, other: PrintedQuery): readonly QueryPart[] {
  if (query.operation === undefined || other.operation !== undefined) return query.parts
  const parts = new Map<string, QueryPart>()
  const visit = ({ operands, parts: own }: PrintedQuery): void => {
    operands.forEach(visit)
    for (const part of own) if (part.role !== 'column order') parts.set(`${part.role} ${part.text}`, part)
  }
  visit(query)
  return [...parts.values()]
}

function partDifferences(expected: readonly QueryPart[], generated: readonly QueryPart[]): SqlDifference[] {
  const roles = new Set([...expected, ...generated].map(({ role }) => role))
  return [...roles].flatMap((role) => {
    const ofRole = (part: QueryPart): boolean => part.role === role
    const { missing, extra } = compareBags(
      expected.filter(ofRole),
      generated.filter(ofRole),
      (part) => part.text,
    )
    // The order of the columns says nothing where the columns themselves differ.
    if (role === 'column order' && !sameOutputs(expected, generated)) return []
    return pairUp(missing, extra).flatMap(describe)
  })
}

const outputRoles: ReadonlySet<string> = new Set(['column', 'aggregate', 'window'])

function sameOutputs(expected: readonly QueryPart[], generated: readonly QueryPart[]): boolean {
  const isOutput = (part: QueryPart): boolean => outputRoles.has(part.role)
  const { missing, extra } = compareBags(
    expected.filter(isOutput),
    generated.filter(isOutput),
    (part) => part.text,
  )
  return missing.length === 0 && extra.length === 0
}

interface Pair {
  readonly expected: QueryPart | undefined
  readonly generated: QueryPart | undefined
}

/** Versions of one another: same columns first (closest text first), then, for all but filters, what is left in order. */
function pairUp(missing: readonly QueryPart[], extra: readonly QueryPart[]): Pair[] {
  const left = [...extra]
  const take = (at: number): QueryPart | undefined => (at < 0 ? undefined : left.splice(at, 1)[0])
  const isVersion = (one: QueryPart, other: QueryPart): boolean =>
    one.subject !== '' && one.subject === other.subject
  const close = missing.map((expected): Pair => {
    const alike = left.findIndex(
      (part) => isVersion(expected, part) && operatorOf(part) === operatorOf(expected),
    )
    const at = alike >= 0 ? alike : left.findIndex((part) => isVersion(expected, part))
    return { expected, generated: take(at) }
  })
  const pairs = close.map(({ expected, generated }): Pair => {
    const mayPair = generated === undefined && expected !== undefined && !unpaired.has(expected.role)
    return { expected, generated: mayPair ? take(0) : generated }
  })
  return [...pairs, ...left.map((generated): Pair => ({ expected: undefined, generated }))]
}

const unpaired: ReadonlySet<string> = new Set(['filter', 'having', 'qualify', 'clause'])

/** The text with literals blanked: `market = ?`. */
function operatorOf(part: QueryPart): string {
  return part.text.replace(/'(?:[^']|'')*'|\b\d[\d.]*/gu, '?')
}

function describe({ expected, generated }: Pair): SqlDifference[] {
  if (expected === undefined || generated === undefined) {
    if (expected !== undefined) return [missingDifference(expected.component, expected.role, expected.text)]
    return generated === undefined
      ? []
      : [extraDifference(generated.component, generated.role, generated.text)]
  }
  const nested = nestedDifferences(expected, generated)
  const text = (part: QueryPart): string => (part.role === 'join' ? joinText(part) : part.text)
  return nested ?? [changedDifference(expected.component, expected.role, text(expected), text(generated))]
}

/** Inner joins are conditions in the canonical form. */
function joinText(part: QueryPart): string {
  return part.clause === 'JOIN' ? part.text : `INNER JOIN ON ${part.text}`
}

/** Where two parts differ only in their subqueries: what differs in these. */
function nestedDifferences(expected: QueryPart, generated: QueryPart): SqlDifference[] | undefined {
  const [one, other] = [expected.inside(), generated.inside()]
  if (one.queries.length === 0 || one.queries.length !== other.queries.length || one.frame !== other.frame)
    return undefined
  const name = expected.name ?? generated.name
  const place = name === undefined ? 'subquery' : `subquery ${name}`
  const differences = new Map<string, SqlDifference>()
  one.queries.forEach((query, at) => {
    const match = other.queries[at]
    const found = match === undefined ? [] : describeDifferences(query, match)
    // A comparison is printed either way round, so that a subquery in it is met twice.
    for (const difference of found) differences.set(difference.text, withLocation(place, difference))
  })
  return differences.size === 0 ? undefined : [...differences.values()]
}

interface Bags<T> {
  readonly missing: readonly T[]
  readonly extra: readonly T[]
}

/** Returns the items that one side has more often than the other, each as many times as it has more. */
function compareBags<T>(
  expected: readonly T[],
  generated: readonly T[],
  textOf: (item: T) => string,
): Bags<T> {
  const counts = new Map<string, number>()
  for (const item of generated) counts.set(textOf(item), (counts.get(textOf(item)) ?? 0) + 1)
  const missing = expected.filter((item) => {
    const count = counts.get(textOf(item)) ?? 0
    counts.set(textOf(item), count - 1)
    return count <= 0
  })
  const surplus = new Map([...counts].filter(([, count]) => count > 0))
  const extra = generated.toReversed().filter((item) => {
    const count = surplus.get(textOf(item)) ?? 0
    surplus.set(textOf(item), count - 1)
    return count > 0
  })
  return { missing, extra: extra.toReversed() }
}

function missingDifference(component: SqlDifference['component'], role: string, text: string): SqlDifference {
  const words = role === text ? `${role} missing` : `${role} missing: ${abbreviate(text)}`
  return { component, kind: 'missing', text: words, expected: text }
}

function extraDifference(component: SqlDifference['component'], role: string, text: string): SqlDifference {
  const words = role === text ? `${role} extra` : `${role} extra: ${abbreviate(text)}`
  return { component, kind: 'extra', text: words, generated: text }
}

/** The part in both queries, in words. */
export function changedDifference(
  component: SqlDifference['component'],
  role: string,
  expected: string,
  generated: string,
): SqlDifference {
  const [one, other] = abbreviatePair(generated, expected)
  const text = `${role}: ${one} instead of ${other}`
  return { component, kind: 'changed', text, expected, generated }
}

function withLocation(place: string, difference: SqlDifference): SqlDifference {
  return { ...difference, text: `in ${place}: ${difference.text}` }
}

const maxShown = 160

/** Both in short, from a place on where the difference is among what is shown. */
function abbreviatePair(a: string, b: string): readonly [string, string] {
  if (abbreviate(a) !== abbreviate(b)) return [abbreviate(a), abbreviate(b)]
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const start = Math.max(0, at - maxShown / 2)
  return [`…${abbreviate(a.slice(start))}`, `…${abbreviate(b.slice(start))}`]
}

function abbreviate(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`
}
