import type { KnowledgeBase, Metric } from '../../../../kb/entry.js'
import type { Binding } from '../../../../kb/question-interpretation.js'
import { type BindingLiteral, bindingLiterals } from '../../../../kb/render-snippet.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { type Expression, firstSelect, type QueryShape, rewriteExpression } from '../../../../sql/index.js'
import { changedChoices, substituteChoice } from '../model/changed-choices.js'
import { queriesChangedBy } from '../model/changed-queries.js'
import {
  expectedSqlFor,
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  snippetOf,
} from '../model/repair-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'
import { isNondeterministic, nondeterminismIn } from './nondeterministic-query.js'
import { type ParsedSnippet, parseSnippet } from './parse-snippet.js'
import {
  type Comparison,
  columnsIn,
  comparisonKey,
  comparisonsIn,
  hasSubquery,
  queriesIn,
  valuesIn,
} from './query-comparisons.js'
import { isReadBySnippet, sourcesIn } from './source-tables.js'

/** An expected query, and the values of its question. */
interface ExpectedQuery {
  readonly shape: QueryShape
  readonly comparisons: readonly Comparison[]
  readonly bindings: readonly Binding[]
}

/**
 * Returns why proposed SQL must not be written, in a snippet or as the expression of a choice, because
 * neither the former text nor an expected query of the plan's cases has it: the clock, random numbers, the
 * engine itself; a table that no snippet reads; a value of the question compared with a constant, with
 * another value, with a subquery, or with columns that it does not belong to. Such a comparison does not
 * select rows: it distinguishes one question from another, as `CASE WHEN` on the binding does, and needs no
 * literal for that.
 */
export function unexpectedPredicates(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const [before, after] = [knowledgeBaseOf(snapshot, context), knowledgeBaseOf(candidate, context)]
  const expected = plan.cases.flatMap((testCase): ExpectedQuery[] => {
    const parsed = context.parser.parse(expectedSqlFor(testCase, context) ?? '', context.dialect)
    if (parsed.kind !== 'query') return []
    const { bindings } = interpretationOf(testCase, after, context)
    return [{ shape: parsed.shape, comparisons: comparisonsIn(parsed.shape), bindings }]
  })
  return [
    ...changedSnippets(plan, snapshot, candidate, before, after, context),
    ...choicesInSnippets(plan, snapshot, candidate, before, after, context),
  ].flatMap(({ path, texts, text, metrics }) => {
    const now = parseSnippet(text, metrics, context)
    // If no expected query can be parsed either, the syntax is that of the cases.
    if (now === undefined)
      return expected.length === 0 ? [] : [`${path}: it cannot be parsed, so it cannot be checked`]
    const old = texts.flatMap((each) => parseSnippet(each, metrics, context) ?? [])
    return [
      ...unexpectedNondeterminism(old, now, expected),
      ...unexpectedComparisons(old, now, expected),
      ...unexpectedSources(old, now, expected, before, context),
    ].map((reason) => `${path}: ${reason}`)
  })
}

/** A query with placeholders that a plan changes, with all its possible former forms and its new form. */
interface CheckedQuery {
  /** The file that is changed. */
  readonly path: string
  readonly texts: readonly string[]
  readonly text: string
  /** The metrics that use it and declare the types of its parameters. */
  readonly metrics: readonly Metric[]
}

type Changed = Parameters<typeof changedSnippets>

function changedSnippets(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  before: KnowledgeBase,
  after: KnowledgeBase,
  context: RepairContext,
): CheckedQuery[] {
  return queriesChangedBy(plan, snapshot, candidate, context).map((query) => ({
    path: query.path,
    texts: [query.before?.text ?? ''],
    text: query.after?.text ?? '',
    metrics: [...after.metrics, ...before.metrics].filter(({ snippet }) => snippet === query.name),
  }))
}

/** Reads the expression of a choice within its snippet: beside the values that it may be compared with. */
function choicesInSnippets(...[plan, , , before, after]: Changed): CheckedQuery[] {
  return changedChoices(plan, before, after).map(({ metric, parameter, sql, known }) => {
    const [old = '', now = ''] = [before, after].map((kb) => snippetOf(metric, kb)?.text)
    return {
      path: metric.path,
      texts: known.map((each) => substituteChoice(old, parameter, each)),
      text: substituteChoice(now, parameter, sql),
      metrics: [metric],
    }
  })
}

function unexpectedSources(
  old: readonly ParsedSnippet[],
  now: ParsedSnippet,
  expected: readonly ExpectedQuery[],
  kb: KnowledgeBase,
  context: RepairContext,
): string[] {
  const known = new Set([...old, ...expected].flatMap(({ shape }) => [...sourcesIn(shape)]))
  return [...sourcesIn(now.shape)]
    .filter((name) => !known.has(name) && !isReadBySnippet(name, kb, context))
    .map((name) => `${name} is read by no snippet and by no expected query`)
}

function unexpectedNondeterminism(
  old: readonly ParsedSnippet[],
  now: ParsedSnippet,
  expected: readonly ExpectedQuery[],
): string[] {
  const known = new Set([...old, ...expected].flatMap(({ shape }) => [...nondeterminismIn(shape)]))
  return [...nondeterminismIn(now.shape)]
    .filter((name) => !known.has(name))
    .map((name) => `${name} is neither in the data nor in the question, and no expected query has it`)
}

function unexpectedComparisons(
  old: readonly ParsedSnippet[],
  now: ParsedSnippet,
  expected: readonly ExpectedQuery[],
): string[] {
  const known = old.flatMap((each) => {
    const read = placeholderReader(each)
    return comparisonsIn(each.shape).map((comparison) => ({ comparison, found: read(comparison.parts) }))
  })
  const keys = new Set(known.map(({ comparison }) => comparisonKey(comparison)))
  const placeholdersIn = placeholderReader(now)
  const expectedKeys = expected.map(({ comparisons }) => new Set(comparisons.map(comparisonKey)))
  const isExpected = (comparison: Comparison): boolean =>
    expected.length > 0 &&
    expected.every(
      (each, at) =>
        expectedKeys[at]?.has(comparisonKey(bindComparison(comparison, now, each.bindings))) === true,
    )
  const columns = (parameter: string): ReadonlySet<string> =>
    new Set([
      ...known
        .filter(({ found }) => parametersOf(found).has(parameter))
        .flatMap(({ comparison }) => [...columnsIn(comparison.parts)]),
      ...expected.flatMap(({ comparisons, bindings }) => {
        const values = bindings.filter((each) => each.parameter === parameter).flatMap(bindingLiterals)
        return comparisons
          .filter(({ parts }) =>
            parts.flatMap(valuesIn).some((part) => values.some(({ value }) => isValue(part, value))),
          )
          .flatMap(({ parts }) => [...columnsIn(parts)])
      }),
    ])
  return comparisonsIn(now.shape).flatMap((comparison) => {
    const { parts, isTest } = comparison
    const found = placeholdersIn(parts)
    const [first] = found
    if (first === undefined) return []
    const [parameter = '', ...others] = parametersOf(found)
    const beside = [...columnsIn(parts)].filter((name) => !isPlaceholderColumn(name, now))
    const isAlone =
      beside.length === 0 && others.length === 0 && !hasSubquery(parts) && !parts.some(isNondeterministic)
    if (isAlone && !isTest) return []
    const usual = columns(parameter)
    const isUsual =
      others.length === 0 &&
      !hasSubquery(parts) &&
      !parts.some(isNondeterministic) &&
      beside.length > 0 &&
      beside.every((name) => usual.has(name))
    if (isUsual || keys.has(comparisonKey(comparison)) || isExpected(comparison)) return []
    return [`{{ ${first} }} is compared where neither the snippet nor the expected queries compare it`]
  })
}

function isPlaceholderColumn(name: string, { placeholderOf }: ParsedSnippet): boolean {
  return placeholderOf({ kind: 'column', source: undefined, name }) !== undefined
}

function parametersOf(found: readonly string[]): ReadonlySet<string> {
  return new Set(found.map((each) => each.split('.')[0] ?? each))
}

/**
 * Returns a reader of the placeholders that parts get their value from, also by the name that a query gives
 * to one of them.
 */
function placeholderReader({
  shape,
  placeholderOf,
}: ParsedSnippet): (parts: readonly Expression[]) => string[] {
  const named = new Map<string, string>()
  const read = (part: Expression): string[] =>
    valuesIn(part).flatMap((value) => {
      const alias = value.kind === 'column' ? named.get(value.name.toLowerCase()) : undefined
      return placeholderOf(value) ?? alias ?? []
    })
  for (const query of queriesIn(shape)) {
    const select = firstSelect(query)
    for (const [at, output] of (select?.outputs ?? []).entries()) {
      const name = select?.names[at]?.toLowerCase()
      const [placeholder] = read(output)
      if (name !== undefined && placeholder !== undefined) named.set(name, placeholder)
    }
  }
  return (parts) => parts.flatMap(read)
}

/** Returns the comparison with the values of a question in place of the placeholders. */
function bindComparison(
  { parts, isTest }: Comparison,
  { placeholderOf }: ParsedSnippet,
  bindings: readonly Binding[],
): Comparison {
  const literals = new Map(bindings.flatMap(bindingLiterals).map((each) => [each.placeholder, each.value]))
  const fill = (part: Expression): Expression => {
    const value = literals.get(placeholderOf(part) ?? '')
    if (value === undefined || value.kind === 'sql') return part
    return value.kind === 'number'
      ? { kind: 'literal', type: 'number', value: String(value.value) }
      : { kind: 'literal', type: 'text', value: value.text }
  }
  const rewrite = { expression: fill, query: (query: QueryShape) => query }
  return { parts: parts.map((part) => rewriteExpression(part, rewrite)), isTest }
}

function isValue(part: Expression, value: BindingLiteral['value']): boolean {
  if (part.kind !== 'literal') return false
  if (value.kind === 'number') return part.type === 'number' && Number(part.value) === value.value
  if (value.kind === 'text') return part.value === value.text
  // A month or a year of the period counts as the period.
  return value.kind === 'date' && part.value.length >= 'yyyy'.length && value.text.startsWith(part.value)
}
