import type { SqlCase } from '../../../benchmark/case.js'
import type { YamlEdit } from '../../../edit/edit.js'
import type { KnowledgeBase, Metric, Parameter } from '../../../kb/entry.js'
import type { Interpretation } from '../../../kb/interpretation.js'
import { literalPattern } from '../../../pattern.js'
import { expectedFor, type RepairContext, snippetOf } from '../../knowledge.js'
import { solveBindings } from '../solve.js'
import { keyed, listAddition, type NameChange, sameWords } from './change.js'

type Bound = Extract<Interpretation, { kind: 'bound' }>
type EnumParameter = Extract<Parameter, { type: 'enum' }>

/**
 * Another code for a word of the question that the metric takes for the wrong one: a code that was misspelt, words that
 * were put to another value. Only where somebody else says so, all other metrics that know the word or, where none does,
 * what the file once said: a mistaken expected query looks just the same.
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
  if (snippet === undefined || expectedSql === undefined) return []
  return bindings.flatMap((binding): NameChange[] => {
    const { parameter: name, value, span } = binding
    const parameter = metric.parameters.get(name)
    if (value.kind !== 'enum' || parameter?.type !== 'enum' || span === undefined) return []
    const word = parameter.values.get(value.code)?.find((each) => sameWords(each, span.text))
    if (word === undefined) return []
    const known = bindings.filter((other) => other !== binding)
    const solved = solveBindings({ parser, dialect, metric, snippet, expectedSql, known, unknown: [name] })
    const code = solved?.[0]?.literal
    if (code === undefined || code === value.code) return []
    const elsewhere = codesElsewhere(word, name, metric, kb)
    // A file that was changed as all others were was changed on purpose.
    const isSaid =
      elsewhere.length > 0 ? elsewhere.every((each) => each === code) : wasSaid(word, code, metric, context)
    if (!isSaid) return []
    return [
      {
        label: 'wrong_definition',
        subject: `metric ${metric.name}`,
        title: `${metric.name}: "${word}" is ${name} ${code}, not ${value.code}`,
        reasoning: `the expected query has '${code}' where ${name} stands, and the question says "${word}"`,
        ...keyed(otherCode(metric, name, parameter, word, value.code, code)),
      },
    ]
  })
}

/** A code that nobody knows yet takes the place of the wrong one with all its words; else the one word moves. */
function otherCode(
  metric: Metric,
  name: string,
  { values }: EnumParameter,
  word: string,
  wrong: string,
  code: string,
): YamlEdit[] {
  const at = ['parameters', name, 'values']
  const target = { kind: 'edit_metric', path: metric.path, entry: metric.id } as const
  const words = [...(values.get(wrong) ?? [])]
  const present = values.get(code)
  if (present === undefined)
    return [
      { ...target, action: 'remove', at: [...at, wrong], expected: words },
      { ...target, action: 'set', at: [...at, code], value: words },
    ]
  return [
    { ...target, action: 'remove', at: [...at, wrong, words.indexOf(word)], expected: word },
    listAddition(metric, [...at, code], word, present),
  ]
}

/** Codes that the word stands for in other metrics' parameters of the same name. */
function codesElsewhere(word: string, name: string, metric: Metric, kb: KnowledgeBase): string[] {
  return kb.metrics.flatMap((other) => {
    const parameter = other.id === metric.id ? undefined : other.parameters.get(name)
    if (parameter?.type !== 'enum') return []
    return [...parameter.values].flatMap(([code, words]) =>
      words.some((known) => sameWords(known, word)) ? [code] : [],
    )
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
