import { diffArrays } from 'diff'

/** A piece of a query: equal in both, different without a consequence for the verdict, or what the verdict rests on. */
export interface MarkedText {
  readonly text: string
  readonly kind: 'same' | 'differs-in-form' | 'matters'
}

interface Token {
  readonly text: string
  /** White space and comments behind it, which never make a difference. */
  readonly rest: string
}

/** Texts beyond this are shown as they are: marking their differences would take seconds. */
const longest = 20_000

/**
 * Returns both queries in pieces. Layout and the case of letters are no difference; a run of different tokens matters if
 * one of them is named by a difference that the comparison found, or if it found none by name.
 *
 * @param differences as `filter missing: tz_type = 'local'`
 */
export function markedQueries(
  expected: string,
  generated: string,
  differences: readonly string[],
): readonly [readonly MarkedText[], readonly MarkedText[]] {
  if (expected.length + generated.length > longest)
    return [[{ text: expected, kind: 'same' }], [{ text: generated, kind: 'same' }]]
  const [left, right] = [tokensOf(expected), tokensOf(generated)]
  const changes = diffArrays(left, right, {
    comparator: (one, other) => one.text.toLowerCase() === other.text.toLowerCase(),
  })
  const named = new Set(
    // What rows show has no name of a part of a query before it.
    differences
      .filter((text) => text.includes(': '))
      .flatMap((text) => tokensOf(text.slice(text.indexOf(': ') + 1)).map(({ text: word }) => nameOf(word))),
  )
  named.delete('')
  const isNamed = (tokens: readonly Token[]): boolean => tokens.some(({ text }) => named.has(nameOf(text)))
  const anyNamed = changes.some(({ added, removed, value }) => (added || removed) && isNamed(value))
  const sides: [MarkedText[], MarkedText[]] = [[], []]
  let [l, r] = [0, 0]
  for (const { added, removed, value } of changes) {
    const isSame = !(added || removed)
    const piecesOf = (tokens: readonly Token[]): MarkedText[] =>
      isSame ? [{ text: joined(tokens), kind: 'same' }] : markedRun(tokens, anyNamed ? named : undefined)
    // What is equal but for layout stands in each query as it is written there.
    if (!added) sides[0].push(...piecesOf(left.slice(l, l + value.length)))
    if (!removed) sides[1].push(...piecesOf(right.slice(r, r + value.length)))
    l += added ? 0 : value.length
    r += removed ? 0 : value.length
  }
  return sides
}

/** Marks a run of different tokens from the first to the last that is named; all of it where no name is known. */
function markedRun(tokens: readonly Token[], named: ReadonlySet<string> | undefined): MarkedText[] {
  const isNamed = ({ text }: Token): boolean => named === undefined || named.has(nameOf(text))
  const first = tokens.findIndex(isNamed)
  const end = tokens.findLastIndex(isNamed) + 1
  if (first < 0) return [{ text: joined(tokens), kind: 'differs-in-form' }]
  const pieces: MarkedText[] = [
    { text: joined(tokens.slice(0, first)), kind: 'differs-in-form' },
    { text: joined(tokens.slice(first, end)), kind: 'matters' },
    { text: joined(tokens.slice(end)), kind: 'differs-in-form' },
  ]
  return pieces.filter(({ text }) => text !== '')
}

/** A name or a literal, by which differences are recognised; punctuation and short words are in every query. */
function nameOf(token: string): string {
  return /^(?:'.*'|".*"|[\p{L}\p{N}_$]{2,}|\d+)$/su.test(token) && !keywords.has(token.toLowerCase())
    ? token.toLowerCase()
    : ''
}

/** Words that stand in the text of a difference and in every query. */
const keywords = new Set([
  'and',
  'or',
  'not',
  'in',
  'is',
  'as',
  'on',
  'select',
  'from',
  'where',
  'by',
  'the',
  'of',
])

function joined(tokens: readonly Token[]): string {
  return tokens.map(({ text, rest }) => text + rest).join('')
}

/** Literals, quoted names, words, and single characters; a qualified name is several tokens. */
const token = /('(?:[^']|'')*'|"[^"]*"|`[^`]*`|[\p{L}\p{N}_$]+|[^\s])(\s*(?:--[^\n]*(?:\n\s*|$))*)/gu

function tokensOf(text: string): Token[] {
  return [...text.trim().matchAll(token)].map(([, word = '', rest = '']) => ({ text: word, rest }))
}
