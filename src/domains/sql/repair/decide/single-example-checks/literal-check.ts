import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase } from '../../../../../kb/entry.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import type { SqlToken } from '../../../../../sql/index.js'
import { queriesChangedBy } from '../../model/changed-queries.js'
import { findRemovedLine } from '../../model/removed-lines.js'
import { expectedSqlFor, formatOf, type RepairContext, tokensOf } from '../../model/repair-context.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'

/** Factors between units: percent, cents and thousands, seconds, hours, days. */
const unitFactors = new Set([100, 1000, 1_000_000, 60, 3600, 24, 86_400, 7, 12])

/**
 * Reports new literals that rest on a single case. Its twins take them from the same expected query and so
 * prove nothing about them: a number must be a unit factor, and must not replace another one; a string must
 * not replace one that other snippets share, and must occur elsewhere: in another snippet, a note, the
 * metrics, or the expected query of another case. A literal that the snippet itself once had is known.
 */
export function checkLiterals(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  kb: KnowledgeBase,
  context: RepairContext & { readonly benchmark: readonly SqlCase[] },
): string[] {
  const tokens = (sql: string): readonly SqlToken[] => tokensOf(sql, context.dialect, context.parser)
  const expected = plan.cases.map((testCase) => tokens(expectedSqlFor(testCase, context) ?? ''))
  const shared = (literal: SqlToken): number =>
    expected.filter((query) => query.some((token) => sameLiteral(token, literal))).length
  const own = new Set(plan.cases.map(({ id }) => id))
  const queries = context.benchmark.flatMap(({ id, expectedSql }) => (own.has(id) ? [] : [expectedSql]))
  const notes = kb.notes.map(({ text }) => text)
  const metrics = kb.metrics.map((metric) => formatOf(context).declarationOf(metric, snapshot).text)
  const isKnown = ({ text, value }: SqlToken): boolean =>
    queries.some((query) => query.includes(text)) ||
    notes.some((note) => [text, `\`${value}\``, `"${value}"`].some((said) => note.includes(said))) ||
    metrics.some((metric) => containsWords(metric, value))
  return queriesChangedBy(plan, snapshot, candidate, context).flatMap(({ name, path, ...query }) => {
    const [before, after] = [tokens(query.before?.text ?? ''), tokens(query.after?.text ?? '')]
    const others = [...kb.snippets.values()]
      .filter((snippet) => snippet.name !== name)
      .map(({ text }) => text)
    const added = literalsOnlyIn(after, before)
    const removed = literalsOnlyIn(before, after)
    const usual = removed.some(
      (literal) => literal.kind === 'string' && others.some((text) => text.includes(literal.text)),
    )
    const isUnsupported = (literal: SqlToken): boolean =>
      literal.kind === 'string'
        ? !others.some((text) => text.includes(literal.text)) && (usual || !isKnown(literal))
        : isUnsupportedNumber(literal, after, removed)
    return added
      .filter((literal) => shared(literal) < 2 && isUnsupported(literal))
      .filter((literal) => findRemovedLine(literal.value, path, context) === undefined)
      .map((literal) => `only one case supports ${literal.text} in ${path}`)
  })
}

function isUnsupportedNumber(
  literal: SqlToken,
  after: readonly SqlToken[],
  removed: readonly SqlToken[],
): boolean {
  const value = Number(literal.value)
  if (value === 0 || value === 1) return false
  // Both are unit factors: nothing else shows which of them is right.
  if (removed.some((other) => other.kind === 'number' && unitFactors.has(Number(other.value)))) return true
  const at = after.indexOf(literal)
  const isFactor = [after[at - 1]?.text, after[at + 1]?.text].some((sign) => sign === '*' || sign === '/')
  return !(isFactor && unitFactors.has(value))
}

function literalsOnlyIn(tokens: readonly SqlToken[], others: readonly SqlToken[]): SqlToken[] {
  return tokens.filter(
    (token) =>
      (token.kind === 'string' || token.kind === 'number') &&
      !others.some((other) => sameLiteral(token, other)),
  )
}

function sameLiteral(one: SqlToken, other: SqlToken): boolean {
  if (one.kind !== other.kind) return false
  return one.kind === 'number' ? Number(one.value) === Number(other.value) : one.value === other.value
}
