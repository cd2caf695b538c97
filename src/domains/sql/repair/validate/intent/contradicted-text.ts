import type { SqlToken } from '../../../../../sql/index.js'
import { stemsOf } from './changed-words.js'

/** What a sentence wants done with the rows of a term, and what a query does with them. */
type Effect = 'out' | 'in' | 'only' | 'free'

const negation = /\b(?:not|never|no|no longer|nothing|stop\w*|dont|cannot)\b|n't\b/iu
const leavesOut =
  /\b(?:exclud|ignor|omit|skip|drop|remov|disregard|discard)\w*|\b(?:without|except|minus)\b|\b(?:leav\w*|left|tak\w*|filter\w*) out\b/iu
const counts =
  /\b(?:belong|count|includ|contain|report|cover|keep)\w*|\b(?:plus|also|too|as well|part of|with)\b/iu
const narrows = /\b(?:only|just|alone|solely|exclusively)\b/iu
const restricts = /\b(?:filter|restrict|condition)\w*\b/iu

/**
 * Reports whether a sentence says outright that the query should not be as planned, and does not oppose it as it is: it has
 * the own words of a term of the query, and says whether its rows count.
 */
export function isContradicted(
  sentence: string,
  today: readonly SqlToken[],
  planned: readonly SqlToken[],
): boolean {
  return termsOf([...today, ...planned]).some((term) => {
    const wanted = wantedEffect(sentence, term)
    if (wanted === undefined) return false
    const [now, then] = [today, planned].map((tokens) => effectOf(term, tokens, [...today, ...planned]))
    return (
      now !== undefined &&
      then !== undefined &&
      now !== then &&
      opposes(wanted, then) &&
      !opposes(wanted, now)
    )
  })
}

/**
 * Reports whether a sentence about the query has a number that stands in it, which the plan replaces by another one: "-- rides under 3 minutes
 * are left out".
 */
export function statesReplacedNumber(
  sentence: string,
  today: readonly SqlToken[],
  planned: readonly SqlToken[],
): boolean {
  const numbersIn = (tokens: readonly SqlToken[]): Set<number> =>
    new Set(tokens.flatMap(({ kind, value }) => (kind === 'number' ? [Number(value)] : [])))
  const [now, then] = [numbersIn(today), numbersIn(planned)]
  const said = [...sentence.matchAll(/(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)/gu)].map(([text]) => Number(text))
  const isReplaced = said.some((number) => now.has(number) && !then.has(number))
  return isReplaced && [...then].some((number) => !now.has(number) && !said.includes(number))
}

/** Values and columns that a query may have conditions about. */
function termsOf(tokens: readonly SqlToken[]): SqlToken[] {
  const terms = tokens.filter(({ kind }) => kind === 'string' || kind === 'word' || kind === 'quoted')
  return [...new Map(terms.map((term) => [term.value.toLowerCase(), term])).values()]
}

/** Returns what a sentence wants of a term that it mentions by all of its words. */
function wantedEffect(sentence: string, { value }: SqlToken): Effect | undefined {
  const own = stemsOf(value).filter((word) => word !== 'is')
  const clause = sentence.split(/[,;:.]/u).find((part) => {
    const words = stemsOf(part)
    return own.length > 0 && own.every((word) => word.length > 2 && words.includes(word))
  })
  if (clause === undefined) return undefined
  const negated = negation.test(clause)
  if (restricts.test(clause)) return negated || leavesOut.test(clause) ? 'free' : undefined
  if (leavesOut.test(clause)) return negated ? 'free' : 'out'
  if (negated) return 'out'
  if (narrows.test(clause)) return 'only'
  return counts.test(clause) ? 'in' : undefined
}

function opposes(wanted: Effect, effect: Effect): boolean {
  if (wanted === 'in') return effect === 'out'
  if (wanted === 'free') return effect !== 'free'
  return effect !== wanted && !(wanted === 'only' && effect === 'in')
}

/** Returns what a query does with the rows of a term; undefined if that cannot be told. */
function effectOf(term: SqlToken, tokens: readonly SqlToken[], all: readonly SqlToken[]): Effect | undefined {
  const at = tokens.findIndex((token) => token.value === term.value)
  if (term.kind !== 'string') return at < 0 ? 'free' : flagEffect(tokens, at)
  if (at >= 0) return valueEffect(tokens, at)?.effect
  // Where other values of the same column are required, this one is left out.
  const columns = all.flatMap((token, index) =>
    token.value === term.value ? (valueEffect(all, index)?.column ?? []) : [],
  )
  const isRequired = tokens.some((token, index) => {
    const found = token.kind === 'string' ? valueEffect(tokens, index) : undefined
    return found !== undefined && found.effect !== 'out' && columns.includes(found.column)
  })
  return isRequired ? 'out' : 'free'
}

/** Returns the effect of the comparison of a column with the value at an index: `=`, `<>`, `IN`, `NOT IN`. */
function valueEffect(
  tokens: readonly SqlToken[],
  at: number,
): { readonly column: string; readonly effect: Effect } | undefined {
  let head = at - 1
  const isListed = tokens[head]?.value === ',' || tokens[head]?.value === '('
  while (isListed && head >= 0 && tokens[head]?.value !== '(') head--
  if (isListed) head--
  const operator = tokens[head]?.value
  const isNot = tokens[head - 1]?.value === 'NOT'
  const column = tokens[isNot ? head - 2 : head - 1]?.value.toLowerCase()
  if (column === undefined) return undefined
  const isAlone = tokens[at - 1]?.value === '(' && tokens[at + 1]?.value === ')'
  if (operator === 'IN') return { column, effect: isNot ? 'out' : isAlone ? 'only' : 'in' }
  if (operator === '=') return { column, effect: 'only' }
  return operator === '<>' || operator === '!=' ? { column, effect: 'out' } : undefined
}

/** Returns the effect of a condition on a column that marks rows: `is_spam = 0`, `NOT is_spam`, `deleted_at IS NULL`. */
function flagEffect(tokens: readonly SqlToken[], at: number): Effect | undefined {
  let before = at - 1
  while (tokens[before]?.value === '.' || tokens[before]?.value === '(')
    before -= tokens[before]?.value === '.' ? 2 : 1
  if (tokens[before]?.value === 'NOT') return 'out'
  const [operator, first, second] = tokens.slice(at + 1, at + 4).map(({ value }) => value.toUpperCase())
  const off = /^(?:0|FALSE|F|N|NO)$/u
  const on = /^(?:1|TRUE|T|Y|YES)$/u
  // A column of values has a condition, whatever its rows are.
  if (operator === '=') return off.test(first ?? '') ? 'out' : on.test(first ?? '') ? 'only' : 'in'
  if (operator === 'IN') return 'in'
  if (operator !== 'IS') return undefined
  if (first === 'NULL' || first === 'FALSE') return 'out'
  return first === 'TRUE' || second === 'NULL' ? 'only' : undefined
}
