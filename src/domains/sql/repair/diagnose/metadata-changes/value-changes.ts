import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric, Parameter } from '../../../../../kb/entry.js'
import type { Slot, SlotEdit } from '../../../../../kb/entry-slots.js'
import type { Binding, Interpretation } from '../../../../../kb/question-interpretation.js'
import { matchesParameterName } from '../../../../../kb/words/adjacent-names.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import { contentWords } from '../../../../../kb/words/content-words.js'
import { isSamePhrase } from '../../model/edited-words.js'
import { knownValueAliases } from '../../model/known-value-aliases.js'
import { phrasesCovering } from '../../model/question-phrases.js'
import { expectedSqlFor, type RepairContext, snippetOf } from '../../model/repair-context.js'
import { solveBindings } from '../../model/solve-placeholder-values.js'
import { findMisnamedValue } from './enum-value-corrections.js'
import { appendToList, type MetadataChange, renameEnumValue, withKey } from './metadata-change.js'
import { renameEnumValueEverywhere } from './renamed-enum-values.js'

type Unbound = Extract<Interpretation, { kind: 'unbound' }>
type EnumParameter = Extract<Parameter, { type: 'enum' }>

/** Returns values and value aliases of the metric that the question names, for the uncovered words. */
export function valueChanges(
  testCase: SqlCase,
  meaning: Unbound,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const { metric } = meaning
  if (metric === undefined) return []
  const bound = new Set(
    meaning.bindings.filter((binding) => binding.span !== undefined).map((binding) => binding.parameter),
  )
  const open = [...metric.parameters].filter(([name]) => !bound.has(name))
  const words = phrasesCovering(testCase.question, meaning.leftovers)
  const longer = longerAliases(testCase, meaning, metric, kb, context)
  const added = open.flatMap(([name, parameter]) => {
    const known = meaning.bindings.filter((binding) => binding.parameter !== name)
    const code =
      parameter.type === 'enum' ? expectedEnumValue(testCase, metric, name, known, kb, context) : undefined
    const usual = code === undefined ? [] : knownValueAliases(metric, name, code, kb, context)
    return [
      ...(code === undefined || parameter.type !== 'enum' || parameter.values.has(code)
        ? []
        : renamedValueChanges(metric, name, parameter, code, kb, context)),
      ...words
        // A name that was used for the value before is its name as a whole: "the heart ward", not "the
        // heart".
        .flatMap((phrase) =>
          usual.some((word) => isSamePhrase(word, phrase))
            ? [phrase]
            : [...withoutParameterName(phrase, name), phrase],
        )
        .flatMap((phrase) => parameterChanges(metric, name, parameter, phrase, code, usual)),
    ]
  })
  return [...longer, ...added]
}

/** Returns "western" for "western region": the name of a parameter beside its value is no part of it. */
function withoutParameterName(phrase: string, parameter: string): string[] {
  const words = phrase.split(' ')
  const { length } = contentWords(parameter)
  const isName = (some: readonly string[]): boolean =>
    matchesParameterName(
      parameter,
      some.map((word) => word.toLowerCase()),
    )
  if (length === 0 || words.length <= length) return []
  if (isName(words.slice(-length))) return [words.slice(0, -length).join(' ')]
  return isName(words.slice(0, length)) ? [words.slice(length).join(' ')] : []
}

/**
 * Returns values that the question names by more words than their metric has, if other evidence gives those
 * words.
 */
function longerAliases(
  { question }: SqlCase,
  { bindings, leftovers }: Unbound,
  metric: Metric,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const spans = [...leftovers, ...bindings.flatMap(({ span }) => span ?? [])]
  const all = phrasesCovering(question, spans)
  return bindings.flatMap(({ parameter: name, value, span }) => {
    const parameter = metric.parameters.get(name)
    if (span === undefined || parameter === undefined) return []
    const isLonger = (phrase: string): boolean =>
      containsWords(phrase, span.text) && !isSamePhrase(phrase, span.text)
    const known = value.kind === 'enum' ? value.code : value.kind === 'choice' ? value.name : undefined
    const usual = known === undefined ? [] : knownValueAliases(metric, name, known, kb, context)
    return all
      .filter((phrase) => isLonger(phrase) && usual.some((word) => isSamePhrase(word, phrase)))
      .flatMap((phrase) => parameterChanges(metric, name, parameter, phrase, known, usual))
  })
}

/**
 * @param code of an enum: the value in the expected query
 * @param usual words that this value has elsewhere in the knowledge base
 */
function parameterChanges(
  metric: Metric,
  name: string,
  parameter: Parameter,
  phrase: string,
  code: string | undefined,
  usual: readonly string[],
): MetadataChange[] {
  switch (parameter.type) {
    case 'enum':
      return code === undefined ? [] : enumChanges(metric, name, parameter, phrase, code, usual)
    case 'choice':
      return [...parameter.values].map(([choice, { aliases }]) =>
        aliasChange(
          metric,
          { kind: 'choice_aliases', parameter: name, value: choice },
          name,
          phrase,
          aliases,
          choice,
        ),
      )
    case 'number':
      return numberChanges(metric, name, parameter.words, phrase)
    case 'date_range':
      return []
  }
}

/**
 * Returns the changes for a code that exists under a name which only this metric uses and by which the
 * question cannot find it.
 */
function renamedValueChanges(
  metric: Metric,
  name: string,
  parameter: EnumParameter,
  code: string,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const wrong = findMisnamedValue(metric, name, parameter, code, kb, context)
  if (wrong === undefined) {
    const found = [...parameter.values.keys()].flatMap((each) =>
      renameEnumValueEverywhere(name, each, code, kb, context),
    )
    return found.length === 1 ? found : []
  }
  const word = parameter.values.get(wrong)?.[0] ?? wrong
  return [
    {
      label: 'wrong_definition',
      subject: `metric ${metric.name}`,
      title: `${metric.name}: "${word}" is ${name} ${code}, not ${wrong}`,
      reasoning: `the expected query has '${code}' for ${name}, and "${word}" is a known word for it`,
      ...withKey(renameEnumValue(metric, name, parameter, wrong, code)),
    },
  ]
}

/** Returns the code in the expected query at the position of the parameter in the snippet. */
function expectedEnumValue(
  testCase: SqlCase,
  metric: Metric,
  name: string,
  known: readonly Binding[],
  kb: KnowledgeBase,
  context: RepairContext,
): string | undefined {
  const { parser, dialect } = context
  const snippet = snippetOf(metric, kb)
  const expectedSql = expectedSqlFor(testCase, context)
  const schema = context.schemaOf?.(testCase)
  if (snippet === undefined || expectedSql === undefined) return undefined
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
  return solved?.find((binding) => binding.parameter === name)?.literal
}

/**
 * Returns the edits for values written as a map and, after them, as a plain list: the file accepts only one
 * of them.
 */
function enumChanges(
  metric: Metric,
  name: string,
  parameter: EnumParameter,
  phrase: string,
  code: string,
  usual: readonly string[],
): MetadataChange[] {
  const values = { kind: 'values', parameter: name } as const
  const value = { kind: 'value', parameter: name, value: code } as const
  const aliases = parameter.values.get(code)
  const asMap = listToMap(metric, values, parameter, code, phrase)
  if (aliases !== undefined) {
    const inMap = aliasChange(metric, value, name, phrase, aliases, code)
    return [inMap, { ...inMap, ...withKey([asMap]) }]
  }
  const named = isSamePhrase(phrase, code)
  const words = named || usual.some((word) => isSamePhrase(phrase, word)) ? [...usual] : [phrase, ...usual]
  const added: MetadataChange = {
    label: 'missing_value',
    subject: `metric ${metric.name}`,
    title: `${metric.name}: ${name} had no value ${code}`,
    reasoning: `the expected query has '${code}' for ${name}, and nothing matched "${phrase}" in the question`,
    key: `value:${metric.id}:${name}:${code}`,
    edits: [{ path: metric.path, entry: metric.id, action: 'set', slot: value, value: words }],
  }
  const codes = [...parameter.values.keys()]
  return [added, { ...added, ...withKey([named ? appendToList(metric, values, code, codes) : asMap]) }]
}

/** Turns a plain list of codes, which has no room for words, into a map. */
function listToMap(
  metric: Metric,
  slot: Slot,
  parameter: EnumParameter,
  code: string,
  phrase: string,
): SlotEdit {
  const codes = [...parameter.values.keys()]
  return {
    path: metric.path,
    entry: metric.id,
    action: 'set',
    slot,
    expected: codes,
    value: Object.fromEntries(
      [...new Set([...codes, code])].map((each) => [each, each === code ? [phrase] : []]),
    ),
  }
}

function aliasChange(
  metric: Metric,
  slot: Slot,
  parameter: string,
  phrase: string,
  words: readonly string[],
  value: string,
): MetadataChange {
  return {
    label: 'missing_value',
    subject: `metric ${metric.name}`,
    title: `${metric.name}: "${phrase}" did not mean ${parameter} ${value}`,
    reasoning: `with "${phrase}" as ${value} the snippet matches the expected query`,
    ...withKey([appendToList(metric, slot, phrase, words)]),
  }
}

function numberChanges(
  metric: Metric,
  name: string,
  words: readonly string[],
  phrase: string,
): MetadataChange[] {
  const word = /^(\p{L}[\p{L} ]*?)\s+\d+$/u.exec(phrase)?.[1]
  if (word === undefined) return []
  const slot = { kind: 'number_words', parameter: name } as const
  const change = aliasChange(metric, slot, name, word, words, 'number')
  // "top" is implied for a list that the author left out, and has to be written with the new word.
  const whole: SlotEdit = {
    path: metric.path,
    entry: metric.id,
    action: 'set',
    slot,
    expected: undefined,
    value: [...words, word],
  }
  return [change, { ...change, ...withKey([whole]) }]
}
