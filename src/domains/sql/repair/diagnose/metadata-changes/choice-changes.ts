import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric, Parameter } from '../../../../../kb/entry.js'
import type { Interpretation } from '../../../../../kb/question-interpretation.js'
import { contentWords } from '../../../../../kb/words/content-words.js'
import type { SqlToken } from '../../../../../sql/index.js'
import { isSamePhrase } from '../../model/edited-words.js'
import { knownValueAliases } from '../../model/known-value-aliases.js'
import { phrasesCovering } from '../../model/question-phrases.js'
import { lineReaderOf, removedLinesOf } from '../../model/removed-lines.js'
import {
  expectedSqlFor,
  interpretationOf,
  matchesExpected,
  type RepairContext,
  tokensOf,
} from '../../model/repair-context.js'
import { parseClauses } from '../../model/sql-clauses.js'
import { type MetadataChange, withKey } from './metadata-change.js'

type Unbound = Extract<Interpretation, { kind: 'unbound' }>
export type ChoiceParameter = Extract<Parameter, { type: 'choice' }>

const maxExpressions = 12

/**
 * Returns new values for a choice: an expression that the expected query shows or groups by, for the
 * uncovered words.
 */
export function choiceChanges(
  testCase: SqlCase,
  meaning: Unbound,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const { metric, bindings } = meaning
  if (metric === undefined) return []
  const spoken = new Set(bindings.flatMap(({ parameter, span }) => (span === undefined ? [] : [parameter])))
  const words = phrasesCovering(testCase.question, meaning.leftovers)
  return [...metric.parameters].flatMap(([name, parameter]) => {
    if (parameter.type !== 'choice' || spoken.has(name)) return []
    return candidateExpressions(testCase, parameter, context).flatMap((sql) =>
      words.flatMap((phrase) => newValue(testCase, metric, name, parameter, phrase, sql, kb, context)),
    )
  })
}

function newValue(
  testCase: SqlCase,
  metric: Metric,
  name: string,
  parameter: ChoiceParameter,
  phrase: string,
  sql: string,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const value = findRemovedName(sql, metric, parameter, context) ?? nameFor(phrase, sql, parameter)
  const usual = knownValueAliases(metric, name, value, kb, context)
  const isUsual = usual.some((word) => isSamePhrase(word, phrase))
  const choice = { sql, aliases: isUsual ? usual : [phrase, ...usual] }
  const values = new Map([...parameter.values, [value, choice]])
  const changed: Metric = {
    ...metric,
    parameters: new Map([...metric.parameters, [name, { ...parameter, values }]]),
  }
  const knowledge = { ...kb, metrics: kb.metrics.map((each) => (each === metric ? changed : each)) }
  const meaning = interpretationOf(testCase, knowledge, context)
  const works =
    meaning.kind === 'bound' &&
    matchesExpected(testCase, meaning.metric, meaning.bindings, knowledge, context)
  if (!works) return []
  return [
    {
      label: 'missing_value',
      subject: `metric ${metric.name}`,
      title: `${metric.name}: ${name} had no value for "${phrase}"`,
      reasoning: `with ${sql} for ${name} the snippet matches the expected query, and nothing matched "${phrase}" in the question`,
      ...withKey([
        {
          path: metric.path,
          entry: metric.id,
          action: 'set',
          slot: { kind: 'value', parameter: name, value },
          value: choice,
        },
      ]),
    },
  ]
}

/**
 * Returns the expressions that the expected query shows or groups by, without literals; each as written, and
 * without its table.
 */
export function candidateExpressions(
  testCase: SqlCase,
  parameter: ChoiceParameter,
  context: RepairContext,
): string[] {
  const sql = expectedSqlFor(testCase, context) ?? ''
  const tokens = tokensOf(sql, context.dialect, context.parser)
  const arms = parseClauses(tokens)?.arms ?? []
  const items = arms.flatMap(({ clauses }) =>
    (['group', 'select'] as const).flatMap((kind) => clauses.get(kind)?.items ?? []),
  )
  const known = new Set([...parameter.values.values()].map((choice) => choice.sql.toLowerCase()))
  const found = items.flatMap((item) => {
    const inside = withoutAlias(tokens.slice(item.from, item.to))
    const [first, last] = [inside[0], inside.at(-1)]
    const isPlain = inside.some(({ kind }) => kind === 'word' || kind === 'quoted')
    if (first === undefined || last === undefined || !isPlain) return []
    const text = sql.slice(first.start, last.end)
    return [text, text.replaceAll(/\b\w+\.(?=\w)/g, '')]
  })
  return [...new Set(found)].filter((text) => !known.has(text.toLowerCase())).slice(0, maxExpressions)
}

function withoutAlias(tokens: readonly SqlToken[]): readonly SqlToken[] {
  return tokens.at(-2)?.value === 'AS' ? tokens.slice(0, -2) : tokens
}

/** Returns the name that the file once had for the expression. */
function findRemovedName(
  sql: string,
  { path }: Metric,
  { values }: ChoiceParameter,
  context: RepairContext,
): string | undefined {
  const { choiceName } = lineReaderOf(context)
  return removedLinesOf(path, context)
    .flatMap(({ text }) => choiceName(sql, text) ?? [])
    .find((name) => !values.has(name))
}

/** Turns the words into a name, or uses the column if they do not make one. */
function nameFor(phrase: string, sql: string, { values }: ChoiceParameter): string {
  const words = contentWords(phrase).join('_')
  const column = /(\w+)\W*$/.exec(sql)?.[1] ?? 'value'
  return (
    [words, column, `${column}_2`].find((name) => /^[a-z]\w*$/i.test(name) && !values.has(name)) ?? column
  )
}
