import type { TokenRange } from '../../model/token-ranges.js'
import type { Atom, Atoms } from './atoms.js'
import { carry } from './carry.js'
import { expressionsIn, isArithmetic, isOperand } from './expressions.js'
import { textOf } from './format-conditions.js'
import type { QueryText, SelectScope } from './query-scopes.js'
import type { TextEdit } from './text-edit.js'

/** Returns the edits that replace an expression of an entry by one of an expected query. */
export function expressionEdits(entry: QueryText, { expressions }: Atoms): TextEdit[] {
  return entry.scopes.flatMap((scope) => replacementsIn(entry, scope, scope, expressions))
}

/**
 * Replaces each expression of a SELECT.
 *
 * @param target what the names of the new expressions are resolved in
 */
export function replacementsIn(
  entry: QueryText,
  scope: SelectScope,
  target: SelectScope,
  expressions: readonly Atom[],
): TextEdit[] {
  const { tokens } = entry
  const carried = expressions.flatMap((atom) => {
    const text = carry(atom.query, atom.scope, atom.range, target)
    return text === undefined ? [] : [{ text, atom }]
  })
  return expressionsIn(entry, scope).flatMap((range) => {
    const before = plain(textOf(entry, range))
    const [first, last] = [tokens[range.from], tokens[range.to - 1]]
    if (first === undefined || last === undefined) return []
    const isInner = isOperand(tokens, range)
    return carried.flatMap(({ text, atom }) => {
      if (text.toLowerCase() === before.toLowerCase()) return []
      const by = isInner && isArithmetic(atom.query.tokens, atom.range) ? `(${text})` : text
      return [replacement(range, entry, before, by, atom.support)]
    })
  })
}

function replacement(
  range: TokenRange,
  { tokens }: QueryText,
  before: string,
  by: string,
  support: number,
): TextEdit {
  return {
    replacements: [{ start: tokens[range.from]?.start ?? 0, end: tokens[range.to - 1]?.end ?? 0, text: by }],
    words: `has ${by} instead of ${before}`,
    title: `${before} should be ${by}`,
    evidence: 'expected',
    support,
  }
}

function plain(text: string): string {
  return text.replaceAll(/\s+/gu, ' ')
}
