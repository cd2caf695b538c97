import type { Dialect } from '../../enums/dialect.js'
import { changedText, inserted, type TextChange } from '../../text/text-changes.js'
import type { SqlToken } from '../tokens.js'

/** Whether a NOT that is no part of an operator may stand before a LIKE, so that the tokens are worth a look. */
export function mayNegateLikes(sql: string): boolean {
  return /\bnot\b(?!\s+(?:i?like|in|between|exists|null)\b)[\s\S]*?(?:like\b|~~)/iu.test(sql)
}

/**
 * The text with brackets around what a NOT negates, if that has a LIKE. The library keeps `NOT a LIKE b` as a text, without
 * its quotes, and binds no name in it.
 */
export function parenthesizeNegatedLikes(sql: string, tokens: readonly SqlToken[], dialect: Dialect): string {
  const changes = tokens.flatMap((token, at): readonly TextChange[] => {
    if (!isPrefixNot(tokens, at)) return []
    const operand = tokens.slice(at + 1, endOfOperand(tokens, at + 1, dialect))
    const last = operand.at(-1)
    return last !== undefined && hasLike(operand) ? [inserted(token.end, ' ('), inserted(last.end, ')')] : []
  })
  return changedText(sql, changes)
}

/** Words that NOT is a part of an operator with. */
const afterInnerNot: ReadonlySet<string> = new Set([
  ...['LIKE', 'ILIKE', 'RLIKE', 'REGEXP', 'GLOB', 'MATCH', 'SIMILAR', 'IN', 'BETWEEN', 'NULL', 'EXISTS'],
])

function isPrefixNot(tokens: readonly SqlToken[], at: number): boolean {
  const word = (offset: number): string => {
    const token = tokens[at + offset]
    return token?.kind === 'word' ? token.value : ''
  }
  return word(0) === 'NOT' && word(-1) !== 'IS' && !afterInnerNot.has(word(1))
}

function hasLike(operand: readonly SqlToken[]): boolean {
  return operand.some(
    (token, at) =>
      (isWord(token, 'LIKE') || isWord(token, 'ILIKE') || token.text.startsWith('~~')) &&
      !isWord(operand[at - 1], 'NOT'),
  )
}

function isWord(token: SqlToken | undefined, word: string): boolean {
  return token?.kind === 'word' && token.value === word
}

/** Words that no operand of NOT goes beyond. */
const operandEnds: ReadonlySet<string> = new Set([
  ...['OR', 'XOR', 'WHEN', 'THEN', 'ELSE', 'END', 'AS', 'ASC', 'DESC', 'NULLS', 'FROM', 'WHERE', 'GROUP'],
  ...['HAVING', 'QUALIFY', 'WINDOW', 'ORDER', 'LIMIT', 'OFFSET', 'FETCH', 'FOR', 'UNION', 'EXCEPT', 'MINUS'],
  ...['INTERSECT', 'ON', 'USING', 'JOIN', 'INNER', 'FULL', 'CROSS', 'NATURAL', 'LATERAL', 'SEMI', 'ANTI'],
])

/** Words that are functions too: they end an operand where no bracket follows. */
const operandEndsWithoutCall: ReadonlySet<string> = new Set(['LEFT', 'RIGHT'])

/** Index after the last token of what begins at `start` and is held together more firmly than AND holds. */
function endOfOperand(tokens: readonly SqlToken[], start: number, dialect: Dialect): number {
  let depth = 0
  let bounds = 0
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at]
    if (token === undefined) break
    if (/^[([]$/u.test(token.text) || isWord(token, 'CASE')) depth++
    else if (depth > 0) {
      if (/^[)\]]$/u.test(token.text) || isWord(token, 'END')) depth--
    } else if (isWord(token, 'BETWEEN')) bounds++
    else if (isWord(token, 'AND')) {
      if (bounds-- === 0) return at
    } else if (ends(token, tokens[at + 1], dialect)) return at
  }
  return tokens.length
}

function ends(token: SqlToken, next: SqlToken | undefined, dialect: Dialect): boolean {
  if (token.kind === 'symbol')
    return /^[)\],;]$/u.test(token.text) || (dialect === 'mysql' && /^(?:\|\||&&)$/u.test(token.text))
  if (token.kind !== 'word') return false
  return operandEnds.has(token.value) || (operandEndsWithoutCall.has(token.value) && next?.text !== '(')
}
