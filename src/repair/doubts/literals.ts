import type { KnowledgeBase } from '../../kb/entry.js'
import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import type { SqlToken } from '../../sql/tokens.js'
import { expectedFor, type RepairContext, tokensOf } from '../knowledge.js'
import type { RepairPlan } from '../plan.js'

/** Factors between units: percent, cents and thousands, seconds, hours, days. */
const unitFactors = new Set([100, 1000, 1_000_000, 60, 3600, 24, 86_400, 7, 12])

/**
 * New literals that a single case explains. Twins have it from that case's expected query, so that they prove nothing
 * about it: a number has to be that of a unit, and a text must not take the place of one that other snippets share.
 */
export function doubtfulLiterals(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  kb: KnowledgeBase,
  context: RepairContext,
): string[] {
  const tokens = (sql: string): readonly SqlToken[] => tokensOf(sql, context.dialect, context.parser)
  const expected = plan.cases.map((testCase) => tokens(expectedFor(testCase, context) ?? ''))
  const shared = (literal: SqlToken): number =>
    expected.filter((query) => query.some((token) => sameLiteral(token, literal))).length
  const paths = new Set(
    plan.edits
      .filter(({ kind }) => kind === 'edit_snippet' || kind === 'create_snippet')
      .map(({ path }) => path),
  )
  return [...paths].flatMap((path) => {
    const [before, after] = [snapshot, candidate].map((each) => tokens(readText(each, path) ?? ''))
    if (before === undefined || after === undefined) return []
    const others = [...kb.snippets.values()].filter((snippet) => snippet.path !== path)
    const added = literalsOnlyIn(after, before)
    const removed = literalsOnlyIn(before, after)
    const usual = removed.some(
      (literal) => literal.kind === 'string' && others.some(({ text }) => text.includes(literal.text)),
    )
    return added
      .filter((literal) => shared(literal) < 2 && isDoubtful(literal, after, usual, others))
      .map((literal) => `one case alone says ${literal.text} in ${path}`)
  })
}

function isDoubtful(
  literal: SqlToken,
  after: readonly SqlToken[],
  replacesUsual: boolean,
  others: readonly { readonly text: string }[],
): boolean {
  if (literal.kind === 'string')
    return replacesUsual && !others.some(({ text }) => text.includes(literal.text))
  const value = Number(literal.value)
  if (value === 0 || value === 1) return false
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
