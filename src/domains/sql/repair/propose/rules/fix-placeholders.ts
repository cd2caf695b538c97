import type { SqlCase } from '../../../../../benchmark/case.js'
import type { Metric, Parameter, Snippet } from '../../../../../kb/entry.js'
import { findPlaceholders, periodProperties } from '../../../../../kb/render-snippet.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { nearest } from '../../../../../text/nearest-word.js'
import {
  knowledgeBaseOf,
  type RepairContext,
  resolvesToExpected,
  rewriteQuery,
  snippetOf,
} from '../../model/repair-context.js'
import {
  applyPlan,
  type ProposalRequest,
  type Proposals,
  type RepairPlan,
} from '../../model/sql-repair-types.js'

/** Text in a snippet that was probably meant as a placeholder. */
interface MalformedPlaceholder {
  /** As written, with quotes around it. */
  readonly text: string
  readonly name: string
  readonly property: string | undefined
  /** The spaces that its author writes inside the braces; may be empty. */
  readonly pad: string
}

/** How many texts are tried for one snippet; each is parsed and compared. */
const maxTexts = 32

/** Matches placeholders with a missing brace, and quotes around them, which a value already has. */
const malformedPattern =
  /(?<quote>['"]?)(?<open>\{{1,2})(?<pad>\s*)(?<name>[\p{L}_][\p{L}\p{M}\p{N}_]*)(?:\.(?<property>[A-Za-z_]\w*))?\s*(?<close>\}{1,2})\k<quote>/gu

/**
 * Proposes plans that correct the placeholders of a snippet: to the name of a parameter that the snippet does
 * not use, to a property that a period has, without quotes, with both braces. With each plan the metric gives
 * the query that every case expects.
 */
export function proposePlaceholders(
  { diagnoses, subject }: ProposalRequest,
  metric: Metric,
  snippet: Snippet,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  const cases = diagnoses.map(({ evaluation }) => evaluation.testCase)
  const plans = workingFixes(metric, snippet, cases, snapshot, context).map((text): RepairPlan => {
    const [before, after] = [snippet.text, text].map(spellings)
    const gone = (before ?? []).filter((each) => !after?.includes(each))
    const come = (after ?? []).filter((each) => !before?.includes(each))
    const title = `${metric.name}: ${come.join(', ')} instead of ${gone.join(', ')}`
    return {
      label: 'broken_entry',
      subject,
      title,
      reasoning: `with ${come.join(', ')} the snippet matches the expected query`,
      edits: rewriteQuery(snippet, text, snapshot, context),
      cases,
      goldExposed: true,
      size: come.join('').length,
      signature: title,
    }
  })
  return plans.length > 0 ? { plans } : { plans, abstained: 'no other placeholder name fixes its cases' }
}

/**
 * Reports whether malformed placeholders are the only difference between the metric's query and what a case
 * expects.
 */
export function isFixable(
  metric: Metric,
  testCase: SqlCase,
  snapshot: Snapshot,
  context: RepairContext,
): boolean {
  const snippet = snippetOf(metric, knowledgeBaseOf(snapshot, context))
  return snippet !== undefined && workingFixes(metric, snippet, [testCase], snapshot, context).length > 0
}

function workingFixes(
  metric: Metric,
  snippet: Snippet,
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  context: RepairContext,
): string[] {
  return fixedTexts(snippet.text, metric).filter((text) => {
    const after = applyPlan({ edits: rewriteQuery(snippet, text, snapshot, context) }, snapshot)
    return (
      after !== undefined &&
      cases.every((testCase) => resolvesToExpected(testCase, after, context, metric.id))
    )
  })
}

/** Returns the snippet with its placeholders corrected in every plausible way, the likeliest first. */
export function fixedTexts(text: string, { parameters }: Pick<Metric, 'parameters'>): string[] {
  const slips = malformedPlaceholders(text, parameters)
  let texts = [text]
  for (const slip of slips) {
    const ways = candidateReplacements(slip, text, parameters)
    texts = texts.flatMap((each) => ways.map((way) => each.replaceAll(slip.text, () => way)))
    if (texts.length > maxTexts) return []
  }
  return texts.filter((each) => each !== text)
}

function malformedPlaceholders(text: string, parameters: Metric['parameters']): MalformedPlaceholder[] {
  const found = [...text.matchAll(malformedPattern)].flatMap(
    ({ 0: whole, groups }): MalformedPlaceholder[] => {
      const { open = '', close = '', pad = '', name = '', property } = groups ?? {}
      // Without any double brace it is a DuckDB struct, unless it names a parameter.
      const isMeant = open.length + close.length > 2 || parameters.has(name)
      return isMeant ? [{ text: whole, name, property, pad: pad === '' ? '' : ' ' }] : []
    },
  )
  return [...new Map(found.map((slip) => [slip.text, slip])).values()]
}

function candidateReplacements(
  slip: MalformedPlaceholder,
  text: string,
  parameters: Metric['parameters'],
): string[] {
  const used = new Set(findPlaceholders(text).map(({ name }) => name))
  const declared = parameters.has(slip.name)
  const near = nearest(slip.name, parameters.keys())
  const rank = (name: string): number => (name === near ? 0 : used.has(name) ? 2 : 1)
  const names = declared ? [slip.name] : [...parameters.keys()].sort((a, b) => rank(a) - rank(b))
  return names
    .flatMap((name) => propertiesOf(slip, parameters.get(name)).map((property) => `${name}${property}`))
    .map((name) => `{{${slip.pad}${name}${slip.pad}}}`)
}

function propertiesOf({ property = '' }: MalformedPlaceholder, parameter: Parameter | undefined): string[] {
  if (parameter?.type !== 'date_range') return ['']
  const all: readonly string[] = periodProperties
  const near = nearest(property, all)
  const likely = all.includes(property) ? [property] : [...all].sort((a) => (a === near ? -1 : 0))
  return likely.map((each) => `.${each}`)
}

function spellings(text: string): string[] {
  return [...new Set([...text.matchAll(malformedPattern)].map(([whole]) => whole))]
}
