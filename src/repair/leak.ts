import type { SqlCase } from '../benchmark/case.js'
import type { Edit } from '../edit/edit.js'
import type { KnowledgeBase } from '../kb/entry.js'
import type { Binding } from '../kb/interpretation.js'
import { bindingLiterals } from '../kb/render.js'
import type { SqlToken } from '../sql/tokens.js'

/** A case that a plan was made from, with what its question binds. */
export interface LeakContext {
  readonly testCase: SqlCase
  readonly bindings: readonly Binding[]
  /** Tokens of its expected query. */
  readonly expected: readonly SqlToken[]
}

/**
 * Why a snippet's new literals may not be written, judged by position: copying structure is learning, copying
 * bindings leaks. Each literal was there before, or is shared by all cases of the cluster and absent from their
 * questions.
 */
export function snippetLeaks(
  before: readonly SqlToken[],
  after: readonly SqlToken[],
  cases: readonly LeakContext[],
): string[] {
  const added = addedLiterals(before, after)
  return added.flatMap((literal) => {
    for (const { testCase, bindings } of cases) {
      const bound = bindings.find((binding) => binding.span !== undefined && bindsTo(binding, literal))
      if (bound !== undefined && literal.kind === 'string') {
        return [
          `literal ${literal.text} is the value of ${bound.parameter} in case ${testCase.id}: it belongs in a placeholder`,
        ]
      }
    }
    const unexplained = cases.find(
      ({ testCase, expected }) =>
        !expected.some((token) => token.kind === literal.kind && token.value === literal.value) ||
        (literal.kind === 'string' && mentions(testCase.question, literal.value)),
    )
    return unexplained === undefined
      ? []
      : [`unexplained literal ${literal.text}: case ${unexplained.testCase.id} does not share it`]
  })
}

const longestAlias = 4

/** Why a text may not become an alias: a span of the question, at most four words, no value in it, no collision. */
export function aliasLeaks(
  alias: string,
  kb: KnowledgeBase,
  owner: string,
  cases: readonly LeakContext[],
): string[] {
  const problems: string[] = []
  if (alias.split(/\s+/).length > longestAlias)
    problems.push(`alias "${alias}" is longer than ${longestAlias} words`)
  if (!cases.some(({ testCase }) => mentions(testCase.question, alias)))
    problems.push(`alias "${alias}" is not a span of the question`)
  const values = cases.flatMap(({ bindings }) =>
    bindings.flatMap((binding) => (binding.span === undefined ? [] : [binding.span.text])),
  )
  const value = values.find((text) => mentions(alias, text))
  if (value !== undefined) problems.push(`alias "${alias}" holds the value "${value}"`)
  const folded = alias.toLowerCase()
  const taken = kb.metrics.find(
    (metric) => metric.id !== owner && metric.aliases.some((other) => other.toLowerCase() === folded),
  )
  if (taken !== undefined) problems.push(`alias "${alias}" already means ${taken.id}`)
  return problems
}

/** Aliases that a plan's YAML edits add. */
export function addedAliases(edits: readonly Edit[]): { entry: string; alias: string }[] {
  return edits.flatMap((edit) => {
    if (edit.kind !== 'edit_metric' || edit.action === 'remove') return []
    const values = Array.isArray(edit.value) ? edit.value : [edit.value]
    return values.flatMap((value) => (typeof value === 'string' ? [{ entry: edit.entry, alias: value }] : []))
  })
}

function addedLiterals(before: readonly SqlToken[], after: readonly SqlToken[]): SqlToken[] {
  const isLiteral = (token: SqlToken): boolean => token.kind === 'string' || token.kind === 'number'
  const known = new Set(before.filter(isLiteral).map((token) => `${token.kind}:${token.value}`))
  return after.filter((token) => isLiteral(token) && !known.has(`${token.kind}:${token.value}`))
}

function bindsTo(binding: Binding, literal: SqlToken): boolean {
  return bindingLiterals(binding).some(({ value }) => {
    if (value.kind === 'text') return value.text === literal.value
    return value.kind === 'date' && literal.value.startsWith(value.text)
  })
}

/** Whether the words stand in the text, whole and in any case. */
function mentions(text: string, words: string): boolean {
  const escaped = words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+')
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'iu').test(text)
}
