import { questionValues } from '../../model/question-values.js'
import type { Example, SnippetProposal } from '../rules/snippet-proposals.js'
import { substitutePlaceholders } from '../rules/sql-writer.js'
import { atomsOf } from './atoms.js'
import { type Candidate, candidatesOf, distinct, pairsOf, withRemovalSupport } from './candidates.js'
import { clauseEdits } from './clause-edits.js'
import { conditionEdits } from './condition-edits.js'
import { gainOf } from './edit-gain.js'
import { expressionEdits } from './expression-edits.js'
import { joinEdits, joinedEdits } from './join-edits.js'
import { type QueryText, readQueryText } from './query-scopes.js'
import { type EditSearchInput, tokensOf } from './search-input.js'
import { termEdits } from './term-edits.js'
import type { TextEdit } from './text-edit.js'
import { survivorsOf } from './try-candidates.js'

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

function read(input: EditSearchInput, text: string, example: Example | undefined): QueryText | undefined {
  const tokens = tokensOf(input, text)
  return tokens && readQueryText(text, tokens, example?.schema)
}

function proposalOf({ metric }: EditSearchInput, { text, edits, changedTokens }: Candidate): SnippetProposal {
  const [first] = edits
  const more = edits.length > 1 ? ` (and ${edits.length - 1} more)` : ''
  return {
    text,
    changedTokens,
    explanation: edits.map(({ words }) => words),
    title: `${metric.name}: ${first?.title ?? ''}${more}`,
  }
}
