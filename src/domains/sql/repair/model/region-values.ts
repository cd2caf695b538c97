import type { Binding } from '../../../../kb/question-interpretation.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import type { SqlToken } from '../../../../sql/index.js'
import type { AnswerRegion } from '../../sql-domain-types.js'
import { isValue, regionsOf } from './answer-region.js'
import { createEquivalenceGate } from './equivalence-with-expected.js'
import { tokenKey } from './question-values.js'
import { expectedSqlFor, knowledgeBaseOf, type RepairContext, tokensOf } from './repair-context.js'
import type { SqlEvaluation } from './sql-repair-types.js'

/** A query of the knowledge base with a placeholder for every value that answers change. */
export interface RegionTemplate {
  readonly text: string
  /** The values of each answer, in the order of the answers. */
  readonly bindings: readonly (readonly Binding[])[]
  /** Returns a text with the values that the query itself has. */
  readonly restore: (text: string) => string
}

/**
 * Returns a query as a template for the answers that were copied from it: a value that one of them changed is a
 * placeholder, and values that change alike are one. Undefined if an answer is no copy.
 */
export function regionTemplate(
  region: AnswerRegion,
  evaluations: readonly SqlEvaluation[],
  context: RepairContext,
): RegionTemplate | undefined {
  const own = tokensOf(region.text, context.dialect, context.parser)
  const answers = evaluations.map((evaluation) => copiedTokens(evaluation, own, context))
  const names = new Map<string, string>()
  const originals = new Map<string, string>()
  const bindings: Binding[][] = answers.map(() => [])
  let text = region.text
  const places = own.flatMap((token, at) => {
    const values = answers.map((tokens) => tokens?.[at])
    const isChanged = values.some((value) => value === undefined || tokenKey(value) !== tokenKey(token))
    return isValue(token) && isChanged ? [{ token, values }] : []
  })
  if (answers.some((tokens) => tokens === undefined)) return undefined
  for (const { token, values } of places) {
    const key = JSON.stringify([token, ...values].map((each) => each && tokenKey(each)))
    if (names.has(key)) continue
    const name = `value_${names.size + 1}`
    names.set(key, name)
    originals.set(name, token.text)
    for (const [at, value] of values.entries()) bindings[at]?.push(...bindingOf(name, value))
  }
  for (const { token, values } of [...places].reverse()) {
    const key = JSON.stringify([token, ...values].map((each) => each && tokenKey(each)))
    text = `${text.slice(0, token.start)}{{ ${names.get(key)} }}${text.slice(token.end)}`
  }
  const restore = (some: string): string =>
    some.replace(/\{\{\s*(value_\d+)\s*\}\}/g, (whole, name: string) => originals.get(name) ?? whole)
  return { text, bindings, restore }
}

/** Returns what the agent would make of a changed query for a case, as it did with today's; undefined if unclear. */
function answerFrom(
  changed: string,
  region: AnswerRegion,
  evaluation: SqlEvaluation,
  context: RepairContext,
): string | undefined {
  const own = tokensOf(region.text, context.dialect, context.parser)
  const answer = copiedTokens(evaluation, own, context)
  if (answer === undefined) return undefined
  const values = new Map<string, string>()
  for (const [at, token] of own.entries()) {
    const text = answer[at]?.text ?? token.text
    if (!isValue(token)) continue
    if ((values.get(token.text) ?? text) !== text) return undefined
    values.set(token.text, text)
  }
  const tokens = tokensOf(changed, context.dialect, context.parser)
  return [...tokens]
    .reverse()
    .reduce(
      (text, token) =>
        `${text.slice(0, token.start)}${(isValue(token) ? values.get(token.text) : undefined) ?? token.text}${text.slice(token.end)}`,
      changed,
    )
}

/** Reports whether the agent would make the expected query of a case of the same query in changed knowledge. */
export function regionGivesExpected(
  evaluation: SqlEvaluation,
  region: AnswerRegion,
  candidate: Snapshot,
  context: RepairContext,
): boolean {
  const regions = [...regionsOf(knowledgeBaseOf(candidate, context)).values()].flat()
  const changed = regions.find(({ key }) => key === region.key)
  const expected = expectedSqlFor(evaluation.testCase, context)
  const sql = changed && answerFrom(changed.text, region, evaluation, context)
  if (sql === undefined || expected === undefined) return false
  const schema = context.schemaOf?.(evaluation.testCase)
  return createEquivalenceGate(context.parser, expected, context.dialect, schema)?.isAcceptable(sql) === true
}

/** Returns the values that an answer has in place of those of the query that it was copied from. */
export function bindingKey(region: AnswerRegion, evaluation: SqlEvaluation, context: RepairContext): string {
  const template = regionTemplate(region, [evaluation], context)
  if (template !== undefined) return JSON.stringify(template.bindings[0]?.map(({ value }) => value))
  const expected = tokensOf(
    evaluation.testCase.expectedSql,
    context.expectedDialect(evaluation.testCase),
    context.parser,
  )
  return JSON.stringify(expected.filter(isValue).map(tokenKey).sort())
}

/** Returns the tokens of an answer that differs from a query only in values. */
function copiedTokens(
  { sample }: SqlEvaluation,
  own: readonly SqlToken[],
  { dialect, parser }: RepairContext,
): readonly SqlToken[] | undefined {
  if (sample.kind !== 'answer') return undefined
  const tokens = tokensOf(sample.text, dialect, parser)
  const isCopy =
    tokens.length === own.length &&
    own.every((token, at) => {
      const other = tokens[at]
      if (other === undefined) return false
      return isValue(token) ? isValue(other) : tokenKey(token) === tokenKey(other)
    })
  return isCopy ? tokens : undefined
}

function bindingOf(parameter: string, token: SqlToken | undefined): Binding[] {
  if (token?.kind === 'string') return [{ parameter, value: { kind: 'enum', code: token.value } }]
  return token?.kind === 'number'
    ? [{ parameter, value: { kind: 'number', value: Number(token.value) } }]
    : []
}
