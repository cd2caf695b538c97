import type { Dialect } from '../../../../../enums/dialect.js'
import type { Metric, Snippet } from '../../../../../kb/entry.js'
import type { Binding } from '../../../../../kb/question-interpretation.js'
import { renderSnippet } from '../../../../../kb/render-snippet.js'
import { canonicalForm, type Schema, type SqlParser, type SqlToken } from '../../../../../sql/index.js'
import { countChangedLines, countChangedTokens } from '../../model/change-size.js'
import { createEquivalenceGate, type EquivalenceGate } from '../../model/equivalence-with-expected.js'
import { questionValues } from '../../model/question-values.js'
import { parseClauses } from '../../model/sql-clauses.js'
import { findDifferences } from './find-differences.js'
import { isIncomplete, tokenDifferences } from './fix-syntax.js'
import { hardCodesQuestionValue } from './hard-coded-values.js'
import { leavesDeadCte } from './inline-views.js'
import { applyDifferences, searchDifferences } from './minimal-difference-sets.js'
import { renamedIdentifiers } from './renamed-identifiers.js'
import type { Alignment, ChooseReading, Difference } from './snippet-alignment.js'
import { styleOf } from './sql-formatting-style.js'
import { substitutePlaceholders } from './sql-writer.js'

/** A failing case of the metric. */
export interface Example {
  readonly caseId: string
  /** In the dialect of the snippet. */
  readonly expectedSql: string
  readonly bindings: readonly Binding[]
  /** The metric that its question asks for, if several share the snippet. */
  readonly metric?: Metric | undefined
  /** The tables that its queries read, if known. */
  readonly schema?: Schema | undefined
}

export interface SnippetProposal {
  /** The complete new text of the snippet. */
  readonly text: string
  /** Tokens removed plus tokens added, a dotted name counted as one. */
  readonly changedTokens: number
  /** What changes, in words: "adds the filter tz_type = 'local'". */
  readonly explanation: readonly string[]
  /** One line: "dau: filter tz_type = 'local' was missing". */
  readonly title: string
}

export interface SnippetProposalInput {
  readonly parser: SqlParser
  readonly dialect: Dialect
  readonly metric: Metric
  readonly snippet: Snippet
  readonly examples: readonly Example[]
  readonly maxProposals?: number | undefined
}

/** How many examples serve as the model, one after the other, until one leads to a proposal. */
const maxModels = 3

/**
 * Proposes new texts for a snippet, fewest changed tokens first, each of which, rendered with the bindings of
 * every example, equals that example's expected query in canonical form. None, with the reason, if no small
 * change achieves that.
 */
export function proposeSnippets(input: SnippetProposalInput): {
  proposals: SnippetProposal[]
  abstained?: string | undefined
} {
  const { parser, dialect, snippet, examples, maxProposals = 3 } = input
  const abstain = (abstained: string): { proposals: SnippetProposal[]; abstained: string } => ({
    proposals: [],
    abstained,
  })
  if (examples.length === 0) return abstain('no failing case shows what the snippet should be')
  const gates = new Map<Example, EquivalenceGate>()
  for (const example of examples) {
    const gate = createEquivalenceGate(parser, example.expectedSql, dialect, example.schema)
    if (gate === undefined) return abstain(`the expected query of ${example.caseId} cannot be read`)
    gates.set(example, gate)
  }
  const before = tokensOf(input, snippet.text)
  if (before === undefined) return abstain(`${snippet.path} cannot be read`)
  const isEquivalent = meetsAll(input, gates, 'isEquivalent')
  if (isEquivalent(snippet.text)) {
    const [alike] = examples
      .map((example) => alignWording(input, before, example))
      .filter((one) => one !== undefined)
    return alike !== undefined && isEquivalent(alike.text)
      ? { proposals: [alike] }
      : abstain(`${snippet.path} already matches the cases`)
  }
  const isAcceptable = meetsAll(input, gates, 'isAcceptable')
  const from = (meets: (text: string) => boolean): SnippetProposal[] =>
    proposalsFrom(input, before, examples, meets, maxProposals)
  const mended = fixSyntax(input, before, examples, isAcceptable)
  // The author's order stays, unless it is the only fault; a second proposal removes it for policies that
  // require that.
  const least = mended.least ?? (isAcceptable(snippet.text) ? from(isEquivalent) : from(isAcceptable))
  const further =
    mended.least !== undefined || least.every(({ text }) => isEquivalent(text)) ? [] : from(isEquivalent)
  const found = [...least, ...further]
  if (found.length === 0) found.push(...mended.most())
  if (found.length === 0) found.push(...renameIdentifiers(input, before, examples, isAcceptable))
  const distinct = [...new Map(found.map((each) => [each.text, each])).values()]
  const proposals = distinct.filter(({ text }) => !leavesDeadCte(before, tokensOf(input, text) ?? []))
  if (proposals.length === 0) {
    return abstain(`no small change of ${snippet.path} fixes it`)
  }
  const linesOf = new Map(
    proposals.map((proposal) => [proposal, countChangedLines(snippet.text, proposal.text)]),
  )
  const rank = (proposal: SnippetProposal): number => linesOf.get(proposal) ?? 0
  proposals.sort((a, b) => a.changedTokens - b.changedTokens || rank(a) - rank(b))
  return { proposals }
}

/** Returns the proposals of the first example that leads to any. */
function proposalsFrom(
  input: SnippetProposalInput,
  before: readonly SqlToken[],
  examples: readonly Example[],
  meets: (text: string) => boolean,
  most: number,
): SnippetProposal[] {
  for (const model of examples.slice(0, maxModels)) {
    const proposals = differencesFrom(input, before, model, meets, most).flatMap(
      (differences) => toProposal(input, before, differences) ?? [],
    )
    if (proposals.length > 0) return proposals
  }
  return []
}

function tokensOf(input: SnippetProposalInput, sql: string): readonly SqlToken[] | undefined {
  const outcome = input.parser.tokenize(sql, input.dialect)
  return outcome.kind === 'tokens' ? outcome.tokens : undefined
}

/** Reports whether a text, rendered for each example, is equivalent to its expected query. */
function meetsAll(
  { metric, snippet, dialect }: SnippetProposalInput,
  gates: ReadonlyMap<Example, EquivalenceGate>,
  as: keyof EquivalenceGate,
): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const meets = [...gates].every(([example, gate]) => {
      const rendered = renderSnippet(
        { ...snippet, text },
        example.metric ?? metric,
        example.bindings,
        dialect,
      )
      return rendered.kind === 'sql' && gate[as](rendered.sql)
    })
    known.set(text, meets)
    return meets
  }
}

/**
 * Proposes texts for a snippet that is equivalent and that the engine still refuses: every difference of
 * wording counts.
 */
function alignWording(
  input: SnippetProposalInput,
  before: readonly SqlToken[],
  model: Example,
): SnippetProposal | undefined {
  const reader = differenceReader(input, before, model)
  const differences = reader?.(() => 0) ?? []
  return differences.length === 0 ? undefined : toProposal(input, before, differences)
}

function differencesFrom(
  input: SnippetProposalInput,
  before: readonly SqlToken[],
  model: Example,
  meets: (text: string) => boolean,
  most: number,
): Difference[][] {
  const reader = differenceReader(input, before, model)
  return reader === undefined ? [] : searchDifferences(input.snippet.text, reader, meets, most)
}

/**
 * Proposes texts for a snippet that cannot be parsed or is incomplete: a repair in one place if that
 * suffices, and the complete repair.
 */
function fixSyntax(
  input: SnippetProposalInput,
  before: readonly SqlToken[],
  examples: readonly Example[],
  meets: (text: string) => boolean,
): { readonly least: SnippetProposal[] | undefined; readonly most: () => SnippetProposal[] } {
  const { parser, dialect, metric, snippet } = input
  const differences = examples.slice(0, maxModels).map(({ expectedSql, bindings }) => {
    const rendered = renderSnippet(snippet, metric, bindings, dialect)
    const expected = tokensOf(input, expectedSql) ?? []
    const isQuery = rendered.kind !== 'sql' || canonicalForm(parser, rendered.sql, dialect) !== undefined
    if (isQuery && !isIncomplete(before, expected)) return []
    const values = questionValues(bindings, parser, dialect)
    const text = substitutePlaceholders(expectedSql, expected, values)
    const tokens = tokensOf(input, text)
    return tokens === undefined
      ? []
      : tokenDifferences({ text: snippet.text, tokens: before }, { text, tokens })
  })
  const proposed = (some: readonly Difference[]): SnippetProposal[] => {
    const text = applyDifferences(snippet.text, some)
    return text !== undefined && meets(text) ? [toProposal(input, before, some) ?? []].flat() : []
  }
  const least = differences.flat().flatMap((one) => proposed([one]))
  return {
    least: least.length > 0 ? least : undefined,
    most: () =>
      differences.flatMap((all) => searchDifferences(snippet.text, () => all, meets, 1).flatMap(proposed)),
  }
}

/** Proposes to replace one name by another wherever the snippet has it. */
function renameIdentifiers(
  input: SnippetProposalInput,
  before: readonly SqlToken[],
  examples: readonly Example[],
  meets: (text: string) => boolean,
): SnippetProposal[] {
  const [model] = examples
  const expected = model && tokensOf(input, model.expectedSql)
  return renamedIdentifiers(before, expected ?? [])
    .flatMap((difference) => toProposal(input, before, [difference]) ?? [])
    .filter(({ text }) => meets(text))
}

/** Compares the snippet with the model's expected query; undefined if one of them is not a plain query. */
function differenceReader(
  input: SnippetProposalInput,
  before: readonly SqlToken[],
  model: Example,
): ((pick: ChooseReading) => readonly Difference[]) | undefined {
  const { parser, dialect, snippet } = input
  const expected = tokensOf(input, model.expectedSql)
  const ours = parseClauses(before)
  const theirs = expected && parseClauses(expected)
  if (expected === undefined || ours === undefined || theirs === undefined) return undefined
  const shared = {
    snippet: { text: snippet.text, tokens: before },
    expected: { text: model.expectedSql, tokens: expected },
    values: questionValues(model.bindings, parser, dialect),
    used: new Set(before.flatMap((token) => (token.kind === 'placeholder' ? [token.value] : []))),
    style: styleOf(snippet.text, before),
    schema: model.schema,
  }
  return (pick) => {
    const alignment: Alignment = { ...shared, choose: pick, differences: [], pending: [] }
    findDifferences(alignment, ours, theirs)
    return alignment.differences
  }
}

function toProposal(
  input: SnippetProposalInput,
  before: readonly SqlToken[],
  differences: readonly Difference[],
): SnippetProposal | undefined {
  const text = applyDifferences(input.snippet.text, differences)
  const after = text === undefined ? undefined : tokensOf(input, text)
  if (text === undefined || after === undefined || hardCodesQuestionValue(input, before, after))
    return undefined
  const told = differences.filter((difference) => difference.description !== '')
  const [first] = told
  const more = told.length > 1 ? ` (and ${told.length - 1} more)` : ''
  return {
    text,
    changedTokens: countChangedTokens(before, after),
    explanation: [...new Set(told.map((difference) => difference.description))],
    title: `${input.metric.name}: ${first?.title ?? 'snippet changed'}${more}`,
  }
}
