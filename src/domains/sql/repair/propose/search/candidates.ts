import type { SqlToken } from '../../../../../sql/index.js'
import { countChangedLines, countChangedTokens } from '../../model/change-size.js'
import { derivesFromQuestion, questionValues, tokenKey } from '../../model/question-values.js'
import { sqlKeywords } from '../rules/term-reader.js'
import { type QueryText, readQueryText } from './query-scopes.js'
import { type EditSearchInput, tokensOf } from './search-input.js'
import { applyTextEdits, type TextEdit } from './text-edit.js'
import { countUnlinked } from './unlinked-sources.js'

/** The most edits of which pairs are made. */
const maxPaired = 70

/** A changed text of an entry. */
export interface Candidate {
  readonly text: string
  readonly edits: readonly TextEdit[]
  readonly changedTokens: number
  readonly changedLines: number
}

/** Lets each expected query that has not all of the names and literals of what an edit removes speak for the edit. */
export function withRemovalSupport(
  { text, tokens }: QueryText,
  expected: readonly QueryText[],
  edits: readonly TextEdit[],
): TextEdit[] {
  const keysOf = (some: readonly SqlToken[]): Set<string> =>
    new Set(some.filter((token) => token.kind !== 'symbol' && !isKeyword(token)).map(tokenKey))
  const known = expected.map((query) => keysOf(query.tokens))
  return edits.map((edit) => {
    const [only, ...more] = edit.replacements
    if (only === undefined || more.length > 0 || only.text !== '' || only.end > text.length) return edit
    const removed = keysOf(tokens.filter(({ start, end }) => start >= only.start && end <= only.end))
    const support = known.filter((keys) => [...removed].some((key) => !keys.has(key))).length
    return { ...edit, support }
  })
}

function isKeyword({ kind, value }: SqlToken): boolean {
  return kind === 'word' && sqlKeywords.has(value)
}

/** Keeps one of the edits that make the same change: the one that most expected queries speak for. */
export function distinct(edits: readonly TextEdit[]): TextEdit[] {
  const found = new Map<string, TextEdit>()
  for (const edit of edits) {
    const key = JSON.stringify(edit.replacements)
    const known = found.get(key)
    if (known === undefined || known.support < edit.support) found.set(key, edit)
  }
  return [...found.values()]
}

/** Pairs the edits that bring the entry nearest to the expected queries. */
export function pairsOf(edits: readonly TextEdit[], gain: (edit: TextEdit) => number): TextEdit[][] {
  const likely = [...edits]
    .filter(({ evidence }) => evidence !== 'schema')
    .sort((a, b) => gain(b) - gain(a) || b.support - a.support || sizeOf(a) - sizeOf(b))
    .slice(0, maxPaired)
  // Two that write at one place stand as in the expected queries, whose parts the edits were made of in their order.
  const order = new Map(edits.map((edit, at) => [edit, at]))
  const placeOf = (edit: TextEdit): number => order.get(edit) ?? 0
  return likely.flatMap((one, at) =>
    likely.slice(at + 1).map((other) => (placeOf(one) < placeOf(other) ? [one, other] : [other, one])),
  )
}

function sizeOf({ replacements }: TextEdit): number {
  return replacements.reduce((sum, { start, end, text }) => sum + Math.max(end - start, text.length), 0)
}

/** Applies changes to an entry, and orders what comes of them: best first. Texts that are known already are left out. */
export function candidatesOf(
  input: EditSearchInput,
  entry: QueryText,
  changes: readonly (readonly TextEdit[])[],
  known: Set<string>,
): Candidate[] {
  const schema = input.examples[0]?.schema
  const unlinked = countUnlinked(entry)
  const candidates = changes.flatMap((edits): Candidate[] => {
    const text = applyTextEdits(entry.text, edits)
    if (text === undefined || known.has(text)) return []
    known.add(text)
    const tokens = tokensOf(input, text)
    if (tokens === undefined || hardCodes(input, entry.tokens, tokens)) return []
    const read = readQueryText(text, tokens, schema)
    if (read === undefined || countUnlinked(read) > unlinked) return []
    return [
      {
        ...{ text, edits },
        changedTokens: countChangedTokens(entry.tokens, tokens),
        changedLines: countChangedLines(entry.text, text),
      },
    ]
  })
  return candidates.sort(
    (a, b) =>
      tierOf(a, input.examples.length) - tierOf(b, input.examples.length) ||
      besideOf(a) - besideOf(b) ||
      a.changedLines - b.changedLines ||
      a.changedTokens - b.changedTokens,
  )
}

/** What speaks for the weakest edit of a candidate: all failing expected queries, some of them, or nothing but that it passes. */
function tierOf({ edits }: Candidate, examples: number): number {
  return Math.max(...edits.map(({ support }) => (support >= examples ? 0 : support > 0 ? 1 : 2)))
}

function besideOf({ edits }: Candidate): number {
  return edits.filter(({ isBeside }) => isBeside === true).length
}

/** Reports whether a candidate writes a value of the question: it would answer this question only. */
function hardCodes(
  { examples, parser, dialect }: EditSearchInput,
  before: readonly SqlToken[],
  after: readonly SqlToken[],
): boolean {
  const known = new Map<string, number>()
  for (const token of before) known.set(tokenKey(token), (known.get(tokenKey(token)) ?? 0) + 1)
  const added = after.filter((token) => {
    const left = known.get(tokenKey(token)) ?? 0
    known.set(tokenKey(token), left - 1)
    return left <= 0
  })
  return added.some((token) =>
    examples.every(({ bindings }) => derivesFromQuestion(token, questionValues(bindings, parser, dialect))),
  )
}
