import type { SqlCase } from '../../benchmark/case.js'
import { applyEdits } from '../../edit/apply.js'
import type { YamlEdit } from '../../edit/edit.js'
import type { KnowledgeBase, Metric, Parameter } from '../../kb/entry.js'
import type { Binding, Interpretation, Span } from '../../kb/interpretation.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import {
  expectedFor,
  knowledgeOf,
  meaningOf,
  type RepairContext,
  readsSameTables,
  saysExpected,
  snippetOf,
} from '../knowledge.js'
import { solveBindings } from './solve.js'

/** A change of names (alias, value, value's alias) after which a question would mean the right metric. */
export interface NameChange {
  readonly label: 'missing_alias' | 'missing_value' | 'retrieval_miss'
  readonly subject: string
  readonly title: string
  readonly reasoning: string
  readonly edits: readonly YamlEdit[]
  /** Cases whose changes have one key want the same entry or value, each perhaps by another word. */
  readonly key: string
}

const longestPhrase = 4
const mostChanges = 8

/**
 * The changes of names that make a question mean what its expected query says, smallest first. Each was tried:
 * with it, the question binds to a metric whose rendered snippet has the canonical form of the expected query.
 */
export function nameChanges(
  testCase: SqlCase,
  meaning: Interpretation,
  snapshot: Snapshot,
  context: RepairContext,
): NameChange[] {
  const kb = knowledgeOf(snapshot, context)
  const candidates =
    meaning.kind === 'bound'
      ? movedAliases(testCase, meaning.metric, meaning.aliasSpan, meaning.bindings, kb, context)
      : [...valueChanges(testCase, meaning, kb, context), ...aliasChanges(testCase, meaning, kb, context)]
  return candidates.filter((change) => makesItMean(testCase, change, snapshot, context)).slice(0, mostChanges)
}

function makesItMean(
  testCase: SqlCase,
  change: NameChange,
  snapshot: Snapshot,
  context: RepairContext,
): boolean {
  const kb = knowledgeOf(applyEdits(snapshot, change.edits), context)
  const meaning = meaningOf(testCase, kb, context)
  return meaning.kind === 'bound' && saysExpected(testCase, meaning.metric, meaning.bindings, kb, context)
}

type Unbound = Extract<Interpretation, { kind: 'unbound' }>

/** Values and value aliases of the metric that the question names, for the words nothing covered. */
function valueChanges(
  testCase: SqlCase,
  meaning: Unbound,
  kb: KnowledgeBase,
  context: RepairContext,
): NameChange[] {
  const { metric } = meaning
  if (metric === undefined) return []
  const bound = new Set(
    meaning.bindings.filter((binding) => binding.span !== undefined).map((binding) => binding.parameter),
  )
  const open = [...metric.parameters].filter(([name]) => !bound.has(name))
  const words = phrases(testCase.question, meaning.leftovers)
  return open.flatMap(([name, parameter]) =>
    words.flatMap((phrase) =>
      parameterChanges(testCase, metric, name, parameter, phrase, meaning.bindings, kb, context),
    ),
  )
}

function parameterChanges(
  testCase: SqlCase,
  metric: Metric,
  name: string,
  parameter: Parameter,
  phrase: string,
  bindings: readonly Binding[],
  kb: KnowledgeBase,
  context: RepairContext,
): NameChange[] {
  switch (parameter.type) {
    case 'enum':
      return enumChanges(testCase, metric, name, parameter, phrase, bindings, kb, context)
    case 'choice':
      return [...parameter.values].map(([choice, { aliases }]) =>
        valueChange(metric, name, ['parameters', name, 'values', choice, 'aliases'], phrase, aliases, choice),
      )
    case 'number':
      return numberChanges(metric, name, parameter, phrase)
    case 'date_range':
      return []
  }
}

function enumChanges(
  testCase: SqlCase,
  metric: Metric,
  name: string,
  parameter: Extract<Parameter, { type: 'enum' }>,
  phrase: string,
  bindings: readonly Binding[],
  kb: KnowledgeBase,
  context: RepairContext,
): NameChange[] {
  const snippet = snippetOf(metric, kb)
  const expectedSql = expectedFor(testCase, context)
  if (snippet === undefined || expectedSql === undefined) return []
  const known = bindings.filter((binding) => binding.parameter !== name)
  const solved = solveBindings({
    parser: context.parser,
    dialect: context.dialect,
    metric,
    snippet,
    expectedSql,
    known,
    unknown: [name],
  })
  const code = solved?.find((binding) => binding.parameter === name)?.literal
  if (code === undefined) return []
  const aliases = parameter.values.get(code)
  if (aliases !== undefined) {
    return [valueChange(metric, name, ['parameters', name, 'values', code], phrase, aliases, code)]
  }
  const named = phrase.toLowerCase() === code.toLowerCase()
  return [
    {
      label: 'missing_value',
      subject: `metric ${metric.name}`,
      title: `${metric.name}: ${name} had no value ${code}`,
      reasoning: `the expected query has '${code}' where ${name} stands, and nothing covered "${phrase}" in the question`,
      key: `value:${metric.id}:${name}:${code}`,
      edits: [
        {
          kind: 'edit_metric',
          path: metric.path,
          entry: metric.id,
          action: 'set',
          at: ['parameters', name, 'values', code],
          value: named ? [] : [phrase],
        },
      ],
    },
  ]
}

/** Adds the phrase to a list of words that mean a value; a list that the author left out is made. */
function valueChange(
  metric: Metric,
  parameter: string,
  at: readonly string[],
  phrase: string,
  aliases: readonly string[],
  value: string,
): NameChange {
  return {
    label: 'missing_value',
    subject: `metric ${metric.name}`,
    title: `${metric.name}: "${phrase}" did not mean ${parameter} ${value}`,
    reasoning: `with "${phrase}" as ${value} the snippet says exactly what the expected query says`,
    ...keyed([listAddition(metric, at, phrase, aliases)]),
  }
}

function listAddition(
  metric: Metric,
  at: readonly string[],
  phrase: string,
  present: readonly string[],
): YamlEdit {
  const target = { kind: 'edit_metric', path: metric.path, entry: metric.id, at } as const
  return present.length > 0
    ? { ...target, action: 'append', expected: present, value: phrase }
    : { ...target, action: 'set', expected: undefined, value: [phrase] }
}

function numberChanges(
  metric: Metric,
  name: string,
  parameter: Extract<Parameter, { type: 'number' }>,
  phrase: string,
): NameChange[] {
  const word = /^(\p{L}[\p{L} ]*?)\s+\d+$/u.exec(phrase)?.[1]
  return word === undefined
    ? []
    : [valueChange(metric, name, ['parameters', name, 'words'], word, parameter.words, 'number')]
}

/** New aliases for the words nothing covered, alone or joined with the alias beside them. */
function aliasChanges(
  testCase: SqlCase,
  meaning: Unbound,
  kb: KnowledgeBase,
  context: RepairContext,
): NameChange[] {
  const expected = expectedFor(testCase, context)
  if (expected === undefined) return []
  const spans =
    meaning.aliasSpan === undefined ? meaning.leftovers : [...meaning.leftovers, meaning.aliasSpan]
  const words = phrases(testCase.question, spans).filter((phrase) => phrase !== meaning.aliasSpan?.text)
  return kb.metrics
    .filter((metric) => {
      const snippet = snippetOf(metric, kb)
      return snippet !== undefined && readsSameTables(snippet, expected, context)
    })
    .flatMap((metric) =>
      words.map((phrase): NameChange => {
        return {
          label: 'missing_alias',
          subject: `metric ${metric.name}`,
          title: `${metric.name} did not know "${phrase}"`,
          reasoning: `with "${phrase}" as an alias the question means ${metric.name}, whose snippet says exactly what the expected query says`,
          ...keyed([listAddition(metric, ['aliases'], phrase, metric.aliases)]),
        }
      }),
    )
}

/** The alias in the question belongs to another metric: taken from the one, given to the other. */
function movedAliases(
  testCase: SqlCase,
  from: Metric,
  aliasSpan: Span,
  bindings: readonly Binding[],
  kb: KnowledgeBase,
  context: RepairContext,
): NameChange[] {
  const index = from.aliases.findIndex((alias) => alias.toLowerCase() === aliasSpan.text.toLowerCase())
  const alias = from.aliases[index]
  if (alias === undefined) return []
  return kb.metrics
    .filter((metric) => metric.id !== from.id && saysExpected(testCase, metric, bindings, kb, context))
    .map((metric): NameChange => {
      const has = metric.aliases.some((other) => other.toLowerCase() === alias.toLowerCase())
      const removal: YamlEdit = {
        kind: 'edit_metric',
        path: from.path,
        entry: from.id,
        action: 'remove',
        at: ['aliases', index],
        expected: alias,
      }
      return {
        label: 'retrieval_miss',
        subject: `metric ${metric.name}`,
        title: `"${alias}" means ${metric.name}, not ${from.name}`,
        reasoning: `the expected query says what ${metric.name} says, but the question led to ${from.name}`,
        ...keyed(has ? [removal] : [removal, listAddition(metric, ['aliases'], alias, metric.aliases)]),
      }
    })
}

function keyed(edits: readonly YamlEdit[]): Pick<NameChange, 'edits' | 'key'> {
  return { edits, key: JSON.stringify(edits) }
}

/** Contiguous stretches of the question that cover the given spans: each alone, and neighbours joined. */
function phrases(question: string, spans: readonly Span[]): string[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start)
  const found = new Set<string>()
  for (const [index, first] of sorted.entries()) {
    for (const last of sorted.slice(index)) {
      const text = asAlias(question.slice(first.start, last.end), first.start === 0)
      const between = sorted.filter((span) => span.start >= first.start && span.end <= last.end)
      if (text.split(' ').length <= longestPhrase && onlySmallGaps(question, between)) found.add(text)
    }
  }
  return [...found].sort((a, b) => b.length - a.length)
}

/** The words as an alias is written: single blanks, and no capital that is only the start of a sentence. */
function asAlias(text: string, startsSentence: boolean): string {
  const words = text.trim().replaceAll(/\s+/g, ' ')
  return startsSentence && /^\p{Lu}\p{Ll}+\b/u.test(words)
    ? words.charAt(0).toLowerCase() + words.slice(1)
    : words
}

/** Between joined spans only white space or a short word ("cost per click") may stand. */
function onlySmallGaps(question: string, spans: readonly Span[]): boolean {
  return spans.every((span, index) => {
    const next = spans[index + 1]
    return next === undefined || /^\s*(\p{L}{1,4}\s+)?$/u.test(question.slice(span.end, next.start))
  })
}
