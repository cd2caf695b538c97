import type { SqlCase } from '../../../benchmark/case.js'
import type { YamlEdit } from '../../../edit/edit.js'
import type { KnowledgeBase, Metric, Parameter } from '../../../kb/entry.js'
import type { Interpretation } from '../../../kb/interpretation.js'
import { literalPattern } from '../../../text/literal-pattern.js'
import { expectedFor, type RepairContext, snippetOf } from '../../knowledge.js'
import { solveBindings } from '../solve.js'
import { keyed, listAddition, type NameChange, renamedCode, sameWords } from './change.js'
import { renamedThroughout } from './renamed-codes.js'

type Bound = Extract<Interpretation, { kind: 'bound' }>
type EnumParameter = Extract<Parameter, { type: 'enum' }>

/**
 * Another code for a word of the question that the metric takes for the wrong one: a code that was misspelt, words that
 * were put to another value. Only where somebody else says so, all other metrics that know the word or, where none does,
 * what the file once said, or where all have it wrong, cases of several: a mistaken expected query looks just the same.
 */
export function wrongValues(
  testCase: SqlCase,
  { metric, bindings }: Bound,
  kb: KnowledgeBase,
  context: RepairContext,
): NameChange[] {
  const { parser, dialect } = context
  const snippet = snippetOf(metric, kb)
  const expectedSql = expectedFor(testCase, context)
  const schema = context.schemaOf?.(testCase)
  if (snippet === undefined || expectedSql === undefined) return []
  return bindings.flatMap((binding): NameChange[] => {
    const { parameter: name, value, span } = binding
    const parameter = metric.parameters.get(name)
    if (value.kind !== 'enum' || parameter?.type !== 'enum' || span === undefined) return []
    const word = parameter.values.get(value.code)?.find((each) => sameWords(each, span.text))
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
    const says = (each: string, its: string): boolean => isSaid(each, name, its, metric, kb, context)
    if (!says(word, code)) return renamedThroughout(name, value.code, code, kb, context)
    return [
      {
        label: 'wrong_definition',
        subject: `metric ${metric.name}`,
        title: `${metric.name}: "${word}" is ${name} ${code}, not ${value.code}`,
        reasoning: `the expected query has '${code}' where ${name} stands, and the question says "${word}"`,
        ...keyed(otherCode(metric, name, parameter, word, value.code, code, says)),
      },
    ]
  })
}

/**
 * The code that should have the name that the expected query has for it: one with words that somebody else says are of
 * that other code, and that nobody else knows.
 */
export function misnamedCode(
  metric: Metric,
  name: string,
  { values }: EnumParameter,
  code: string,
  kb: KnowledgeBase,
  context: RepairContext,
): string | undefined {
  const found = [...values].filter(
    ([wrong, words]) =>
      words.some((word) => isSaid(word, name, code, metric, kb, context)) &&
      enumsElsewhere(name, metric, kb).every((other) => !other.has(wrong)),
  )
  return found.length === 1 ? found[0]?.[0] : undefined
}

function isSaid(
  word: string,
  name: string,
  code: string,
  metric: Metric,
  kb: KnowledgeBase,
  context: RepairContext,
): boolean {
  const elsewhere = codesElsewhere(word, name, metric, kb)
  // A file that was changed as all others were was changed on purpose.
  return elsewhere.length > 0
    ? elsewhere.every((each) => each === code)
    : wasSaid(word, code, metric, context)
}

/**
 * A code that nobody knows yet takes the place of the wrong one in front of its words; else the one word moves, and one
 * that came in its place goes back.
 *
 * @param says whether somebody else says that a word is of a code
 */
function otherCode(
  metric: Metric,
  name: string,
  parameter: EnumParameter,
  word: string,
  wrong: string,
  code: string,
  says: (word: string, code: string) => boolean,
): YamlEdit[] {
  const at = ['parameters', name, 'values']
  const target = { kind: 'edit_metric', path: metric.path, entry: metric.id } as const
  const words = [...(parameter.values.get(wrong) ?? [])]
  const present = parameter.values.get(code)
  if (present === undefined) return renamedCode(metric, name, parameter, wrong, code)
  const exchanged = present.findIndex((each) => says(each, wrong))
  const other = present[exchanged]
  if (other !== undefined)
    return [
      { ...target, action: 'set', at: [...at, wrong, words.indexOf(word)], expected: word, value: other },
      { ...target, action: 'set', at: [...at, code, exchanged], expected: other, value: word },
    ]
  return [
    { ...target, action: 'remove', at: [...at, wrong, words.indexOf(word)], expected: word },
    listAddition(metric, [...at, code], word, present),
  ]
}

/** Codes that the word stands for in other metrics' parameters of the same name. */
function codesElsewhere(word: string, name: string, metric: Metric, kb: KnowledgeBase): string[] {
  return enumsElsewhere(name, metric, kb).flatMap((values) =>
    [...values].flatMap(([code, words]) => (words.some((known) => sameWords(known, word)) ? [code] : [])),
  )
}

function enumsElsewhere(name: string, metric: Metric, { metrics }: KnowledgeBase): EnumParameter['values'][] {
  return metrics.flatMap((other) => {
    const parameter = other.id === metric.id ? undefined : other.parameters.get(name)
    return parameter?.type === 'enum' ? [parameter.values] : []
  })
}

/** Whether the file once had the word behind the code, or the code alone in front of a list. */
function wasSaid(
  word: string,
  code: string,
  { path }: Metric,
  { formerLines = [] }: Pick<RepairContext, 'formerLines'>,
): boolean {
  const [key, text] = [code, word].map(literalPattern)
  const said = new RegExp(
    `(?<![\\p{L}\\p{N}_])['"]?${key}['"]?\\s*:\\s*(?:\\[[^\\]]*(?<![\\p{L}\\p{N}_])${text}(?![\\p{L}\\p{N}_])|(?:#.*)?$)`,
    'iu',
  )
  return formerLines.some((line) => line.path === path && said.test(line.text))
}
