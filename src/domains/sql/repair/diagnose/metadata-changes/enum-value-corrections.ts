import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric, Parameter } from '../../../../../kb/entry.js'
import type { SlotEdit } from '../../../../../kb/entry-slots.js'
import type { Interpretation } from '../../../../../kb/question-interpretation.js'
import { isSamePhrase } from '../../model/edited-words.js'
import { lineReaderOf, removedLinesOf } from '../../model/removed-lines.js'
import { expectedSqlFor, type RepairContext, snippetOf } from '../../model/repair-context.js'
import { solveBindings } from '../../model/solve-placeholder-values.js'
import { appendToList, type MetadataChange, renameEnumValue, withKey } from './metadata-change.js'
import { renameEnumValueEverywhere } from './renamed-enum-values.js'

type Bound = Extract<Interpretation, { kind: 'bound' }>
type EnumParameter = Extract<Parameter, { type: 'enum' }>

/**
 * Returns another code for a word of the question that the metric maps to the wrong one: a code that was
 * misspelt, or words that were put under another value. It requires other evidence: all other metrics that
 * know the word; if none does, what the file once stated; or, if all have it wrong, cases of several metrics.
 * A mistaken expected query looks just the same.
 */
export function correctEnumValues(
  testCase: SqlCase,
  { metric, bindings }: Bound,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const { parser, dialect } = context
  const snippet = snippetOf(metric, kb)
  const expectedSql = expectedSqlFor(testCase, context)
  const schema = context.schemaOf?.(testCase)
  if (snippet === undefined || expectedSql === undefined) return []
  return bindings.flatMap((binding): MetadataChange[] => {
    const { parameter: name, value, span } = binding
    const parameter = metric.parameters.get(name)
    if (value.kind !== 'enum' || parameter?.type !== 'enum' || span === undefined) return []
    const word = parameter.values.get(value.code)?.find((each) => isSamePhrase(each, span.text))
    if (word === undefined) return []
    const known = bindings.filter((other) => other !== binding)
    const solved = solveBindings({
      parser,
      dialect,
      schema,
      metric,
      snippet,
      expectedSql,
      known,
      unknown: [name],
    })
    const code = solved?.[0]?.literal
    if (code === undefined || code === value.code) return []
    const says = (each: string, its: string): boolean => isCorroborated(each, name, its, metric, kb, context)
    if (!says(word, code)) return renameEnumValueEverywhere(name, value.code, code, kb, context)
    return [
      {
        label: 'wrong_definition',
        subject: `metric ${metric.name}`,
        title: `${metric.name}: "${word}" is ${name} ${code}, not ${value.code}`,
        reasoning: `the expected query has '${code}' for ${name}, and the question says "${word}"`,
        ...withKey(enumValueEdits(metric, name, parameter, word, value.code, code, says)),
      },
    ]
  })
}

/**
 * Returns the code that the one in the expected query should replace: its words belong to that other code
 * according to other evidence, and no other metric has it.
 */
export function findMisnamedValue(
  metric: Metric,
  name: string,
  { values }: EnumParameter,
  code: string,
  kb: KnowledgeBase,
  context: RepairContext,
): string | undefined {
  const found = [...values].filter(
    ([wrong, words]) =>
      words.some((word) => isCorroborated(word, name, code, metric, kb, context)) &&
      enumsOfOtherMetrics(name, metric, kb).every((other) => !other.has(wrong)),
  )
  return found.length === 1 ? found[0]?.[0] : undefined
}

function isCorroborated(
  word: string,
  name: string,
  code: string,
  metric: Metric,
  kb: KnowledgeBase,
  context: RepairContext,
): boolean {
  const elsewhere = valuesInOtherMetrics(word, name, metric, kb)
  // A file that was changed like all others was changed on purpose.
  return elsewhere.length > 0
    ? elsewhere.every((each) => each === code)
    : wasDeclared(word, code, metric, context)
}

/**
 * Replaces the code in front of its words if the new code is unknown; else moves the one word, and moves a
 * word that came in its place back.
 *
 * @param says whether other evidence maps a word to a code
 */
function enumValueEdits(
  metric: Metric,
  name: string,
  parameter: EnumParameter,
  word: string,
  wrong: string,
  code: string,
  says: (word: string, code: string) => boolean,
): SlotEdit[] {
  const target = { path: metric.path, entry: metric.id }
  const wordOf = (value: string, item: number) => ({ kind: 'value', parameter: name, value, item }) as const
  const words = [...(parameter.values.get(wrong) ?? [])]
  const present = parameter.values.get(code)
  if (present === undefined) return renameEnumValue(metric, name, parameter, wrong, code)
  const exchanged = present.findIndex((each) => says(each, wrong))
  const other = present[exchanged]
  if (other !== undefined)
    return [
      { ...target, action: 'set', slot: wordOf(wrong, words.indexOf(word)), expected: word, value: other },
      { ...target, action: 'set', slot: wordOf(code, exchanged), expected: other, value: word },
    ]
  return [
    { ...target, action: 'remove', slot: wordOf(wrong, words.indexOf(word)), expected: word },
    appendToList(metric, { kind: 'value', parameter: name, value: code }, word, present),
  ]
}

/** Returns the codes that the word means in other metrics' parameters of the same name. */
function valuesInOtherMetrics(word: string, name: string, metric: Metric, kb: KnowledgeBase): string[] {
  return enumsOfOtherMetrics(name, metric, kb).flatMap((values) =>
    [...values].flatMap(([code, words]) => (words.some((known) => isSamePhrase(known, word)) ? [code] : [])),
  )
}

function enumsOfOtherMetrics(
  name: string,
  metric: Metric,
  { metrics }: KnowledgeBase,
): EnumParameter['values'][] {
  return metrics.flatMap((other) => {
    const parameter = other.id === metric.id ? undefined : other.parameters.get(name)
    return parameter?.type === 'enum' ? [parameter.values] : []
  })
}

/** Reports whether the file once had the word after the code, or the code alone in front of a list. */
function wasDeclared(word: string, code: string, { path }: Metric, context: RepairContext): boolean {
  const { hasWordOf } = lineReaderOf(context)
  return removedLinesOf(path, context).some(({ text }) => hasWordOf(code, word, text))
}
