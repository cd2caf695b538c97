import type { SqlCase } from '../../../../../benchmark/case.js'
import type { Metric } from '../../../../../kb/entry.js'
import type { Binding, BoundValue, Interpretation, Span } from '../../../../../kb/question-interpretation.js'
import { replaceValue } from '../../../../../kb/replace-value.js'
import type { SqlToken } from '../../../../../sql/index.js'
import { periodPhrase, similarPeriods } from './similar-periods.js'

/**
 * A counterfactual: a case with one binding changed in question and expected query together. A repair of the
 * rule passes it; one that fits only the example does not.
 */
export interface Twin {
  readonly testCase: SqlCase
  readonly parameter: string
}

export type BoundInterpretation = Extract<Interpretation, { kind: 'bound' }>

/**
 * Returns candidate twins by parameter, best first. The caller keeps those whose expected result is neither
 * empty nor the original's. Parameters whose value cannot be located in the expected query have none.
 *
 * @param tokens tokens of the case's expected query, in its own dialect
 */
export function makeTwins(
  testCase: SqlCase,
  tokens: readonly SqlToken[],
  meaning: BoundInterpretation,
): Map<string, Twin[]> {
  const twins = new Map<string, Twin[]>()
  for (const binding of meaning.bindings) {
    const { span } = binding
    if (span === undefined) continue
    const found = alternativeValues(binding, meaning.metric).flatMap((other, index): Twin[] => {
      const sql = replaceValue(testCase.expectedSql, tokens, binding.value, other.value)
      if (sql === undefined) return []
      const question = replaceSpan(testCase.question, span, other.words)
      const id = `${testCase.id}~${binding.parameter}${index + 1}`
      return [{ parameter: binding.parameter, testCase: { ...testCase, id, question, expectedSql: sql } }]
    })
    if (found.length > 0) twins.set(binding.parameter, found)
  }
  return twins
}

interface Alternative {
  readonly value: BoundValue
  /** The words for it in a question. */
  readonly words: string
}

function alternativeValues(binding: Binding, metric: Metric): Alternative[] {
  const parameter = metric.parameters.get(binding.parameter)
  const { value, span } = binding
  if (parameter === undefined || span === undefined) return []
  if (value.kind === 'enum' && parameter.type === 'enum') {
    const named = span.text !== value.code
    return othersAfter([...parameter.values], value.code).map(([code, aliases]) => ({
      value: { kind: 'enum', code },
      words: (named ? aliases[0] : undefined) ?? code,
    }))
  }
  if (value.kind === 'choice' && parameter.type === 'choice') {
    // A value without an alias, usually the default, is not requested by a word: no question contains its
    // name.
    return othersAfter([...parameter.values], value.name).flatMap(([name, { sql, aliases }]) =>
      aliases[0] === undefined ? [] : [{ value: { kind: 'choice', name, sql }, words: aliases[0] }],
    )
  }
  if (value.kind === 'number') {
    return [value.value + 1, value.value - 1, value.value + 2]
      .filter((number) => number > 0)
      .map((number) => ({
        value: { kind: 'number', value: number },
        words: span.text.replace(String(value.value), String(number)),
      }))
  }
  if (value.kind === 'date_range') {
    return similarPeriods(value).map((period) => ({
      value: { kind: 'date_range', ...period },
      words: withPreposition(span, periodPhrase(period)),
    }))
  }
  return []
}

/**
 * Returns the entries after the current one, then those before it, so that the choices for different cases
 * differ.
 */
function othersAfter<T>(
  entries: readonly (readonly [string, T])[],
  current: string,
): (readonly [string, T])[] {
  const at = entries.findIndex(([key]) => key === current)
  return [...entries.slice(at + 1), ...entries.slice(0, Math.max(at, 0))]
}

/** Fits a phrase to its preposition: "in November 2025" keeps "in …"; a range has a preposition already. */
export function withPreposition(span: Span, phrase: string): string {
  const preposition = /^(in|during|on|for|of)\s+/i.exec(span.text)?.[1]
  return preposition === undefined || phrase.startsWith('from ') ? phrase : `${preposition} ${phrase}`
}

export function replaceSpan(text: string, span: Span, words: string): string {
  return `${text.slice(0, span.start)}${words}${text.slice(span.end)}`
}
