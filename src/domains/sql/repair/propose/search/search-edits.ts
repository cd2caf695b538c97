import { renderSnippet } from '../../../../../kb/render-snippet.js'
import type { SqlToken } from '../../../../../sql/index.js'
import { derivesFromQuestion, questionValues, tokenKey } from '../../model/question-values.js'
import { countChangedLines, countChangedTokens } from '../rules/change-size.js'
import type { Example, SnippetProposal, SnippetProposalInput } from '../rules/snippet-proposals.js'
import { substitutePlaceholders } from '../rules/sql-writer.js'
import { sqlKeywords } from '../rules/term-reader.js'
import { atomsOf } from './atoms.js'
import { clauseEdits } from './clause-edits.js'
import { conditionEdits } from './condition-edits.js'
import { gainOf } from './edit-gain.js'
import { expressionEdits } from './expression-edits.js'
import { joinEdits, joinedEdits } from './join-edits.js'
import { type QueryText, readQueryText } from './query-scopes.js'
import { termEdits } from './term-edits.js'
import { applyTextEdits, type TextEdit } from './text-edit.js'
import { countUnlinked } from './unlinked-sources.js'

/** Runs a candidate for a case. */
export interface Trial {
  /** Reports whether the query gives the expected rows on the data. */
  readonly givesRows: (caseId: string, sql: string) => Promise<boolean>
  /** Reports whether the query is as good as the expected one: by structure, or by rows on the data and on copies. */
  readonly passes: (caseId: string, sql: string) => Promise<boolean>
}

export interface EditSearchInput extends SnippetProposalInput {
  /** Cases that pass today and read the same entry: they have to pass still. */
  readonly passing: readonly Example[]
  readonly trial: Trial
  readonly signal: AbortSignal
  /** The most queries that may be run. */
  readonly maxQueries: number
}

/** The most pairs of edits that are made. */
const maxPaired = 70
/** The most candidates of one size that are compared on copies. */
const maxSurvivors = 12

interface Candidate {
  readonly text: string
  readonly edits: readonly TextEdit[]
  readonly changedTokens: number
  readonly changedLines: number
}

/**
 * Searches for the smallest change of an entry's text with which its cases pass: single edits, then pairs. Every candidate of
 * a size is tried before one is chosen.
 */
export async function searchEdits(
  input: EditSearchInput,
): Promise<{ proposals: SnippetProposal[]; abstained?: string | undefined }> {
  const { snippet, examples, parser, dialect } = input
  const entry = read(input, snippet.text, examples[0])
  const expected = examples.flatMap((example) => {
    const { expectedSql, bindings } = example
    const tokens = tokensOf(input, expectedSql) ?? []
    const text = substitutePlaceholders(expectedSql, tokens, questionValues(bindings, parser, dialect))
    return read(input, text, example) ?? []
  })
  if (entry === undefined) return { proposals: [], abstained: `${snippet.path} cannot be read` }
  if (expected.length === 0) return { proposals: [], abstained: 'no expected query can be read' }
  const atoms = atomsOf(expected)
  const all = distinct(
    withRemovalSupport(entry, expected, [
      ...conditionEdits(entry, atoms),
      ...termEdits(entry, atoms, expected),
      ...clauseEdits(entry, atoms),
      ...expressionEdits(entry, atoms),
      ...joinEdits(entry, atoms),
    ]),
  )
  const joined = distinct(joinedEdits(entry, atoms))
  const gain = gainOf(entry, expected, (text) => tokensOf(input, text) ?? [])
  const runs = { left: input.maxQueries, tried: 0 }
  const known = new Set<string>([snippet.text])
  const single = (evidences: readonly TextEdit['evidence'][]): Candidate[] =>
    candidatesOf(
      input,
      entry,
      all.filter(({ evidence }) => evidences.includes(evidence)).map((edit) => [edit]),
      known,
    )
  const sizes = [
    () => single(['expected', 'operator']),
    () => single(['schema']),
    () => candidatesOf(input, entry, [...joined.map((edit) => [edit]), ...pairsOf(all, gain)], known),
  ]
  for (const make of sizes) {
    const survivors = await survivorsOf(input, make(), runs)
    if (input.signal.aborted) return { proposals: [] }
    const proposals = survivors.map((candidate) => proposalOf(input, candidate))
    if (proposals.length > 0) return { proposals }
    if (runs.left <= 0) break
  }
  const spent = runs.left <= 0 ? `, the limit of ${input.maxQueries} queries` : ''
  return {
    proposals: [],
    abstained: `none of ${runs.tried} small changes of ${snippet.path} makes its cases pass${spent}`,
  }
}

function tokensOf({ parser, dialect }: SnippetProposalInput, sql: string): readonly SqlToken[] | undefined {
  const outcome = parser.tokenize(sql, dialect)
  return outcome.kind === 'tokens' ? outcome.tokens : undefined
}

function read(
  input: SnippetProposalInput,
  text: string,
  example: Example | undefined,
): QueryText | undefined {
  const tokens = tokensOf(input, text)
  return tokens && readQueryText(text, tokens, example?.schema)
}

/** Lets each expected query that has not all of the names and literals of what an edit removes speak for the edit. */
function withRemovalSupport(
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

function distinct(edits: readonly TextEdit[]): TextEdit[] {
  const found = new Map<string, TextEdit>()
  for (const edit of edits) {
    const key = JSON.stringify(edit.replacements)
    const known = found.get(key)
    if (known === undefined || known.support < edit.support) found.set(key, edit)
  }
  return [...found.values()]
}

/** Pairs the edits that bring the entry nearest to the expected queries. */
function pairsOf(edits: readonly TextEdit[], gain: (edit: TextEdit) => number): TextEdit[][] {
  const likely = [...edits]
    .filter(({ evidence }) => evidence !== 'schema')
    .sort((a, b) => gain(b) - gain(a) || b.support - a.support || sizeOf(a) - sizeOf(b))
    .slice(0, maxPaired)
  return likely.flatMap((one, at) => likely.slice(at + 1).map((other) => [one, other]))
}

function sizeOf({ replacements }: TextEdit): number {
  return replacements.reduce((sum, { start, end, text }) => sum + Math.max(end - start, text.length), 0)
}

function candidatesOf(
  input: SnippetProposalInput,
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
      a.changedLines - b.changedLines ||
      a.changedTokens - b.changedTokens,
  )
}

/** What speaks for the weakest edit of a candidate: all failing expected queries, some of them, or nothing but that it passes. */
function tierOf({ edits }: Candidate, examples: number): number {
  return Math.max(...edits.map(({ support }) => (support >= examples ? 0 : support > 0 ? 1 : 2)))
}

/** Reports whether a candidate writes a value of the question: it would answer this question only. */
function hardCodes(
  { examples, parser, dialect }: SnippetProposalInput,
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

/** Returns the candidates with which every case passes, best first. */
async function survivorsOf(
  input: EditSearchInput,
  candidates: readonly Candidate[],
  runs: { left: number; tried: number },
): Promise<Candidate[]> {
  const { examples, passing, trial, signal } = input
  const rendered = (text: string, example: Example): string | undefined => {
    const outcome = renderSnippet(
      { ...input.snippet, text },
      example.metric ?? input.metric,
      example.bindings,
      input.dialect,
    )
    return outcome.kind === 'sql' ? outcome.sql : undefined
  }
  const giveRows: Candidate[] = []
  for (const candidate of candidates) {
    if (runs.left <= 0 || signal.aborted) break
    runs.tried++
    let fits = true
    for (const example of [...examples, ...passing]) {
      const sql = rendered(candidate.text, example)
      runs.left--
      if (sql === undefined || !(await trial.givesRows(example.caseId, sql))) {
        fits = false
        break
      }
    }
    if (fits) giveRows.push(candidate)
  }
  const proved: Candidate[] = []
  for (const candidate of giveRows.slice(0, maxSurvivors)) {
    if (signal.aborted) break
    let passes = true
    for (const example of [...examples, ...passing]) {
      const sql = rendered(candidate.text, example)
      if (sql === undefined || !(await trial.passes(example.caseId, sql))) {
        passes = false
        break
      }
    }
    if (passes) proved.push(candidate)
  }
  return proved
}

function proposalOf(
  { metric }: SnippetProposalInput,
  { text, edits, changedTokens }: Candidate,
): SnippetProposal {
  const [first] = edits
  const more = edits.length > 1 ? ` (and ${edits.length - 1} more)` : ''
  return {
    text,
    changedTokens,
    explanation: edits.map(({ words }) => words),
    title: `${metric.name}: ${first?.title ?? ''}${more}`,
  }
}
