import type { SqlCase } from '../../../../../benchmark/case.js'
import { slotsOf } from '../../../../../kb/nearest/phrase-slots.js'
import type { Span } from '../../../../../kb/question-interpretation.js'
import { quoted, replaceTokens, replaceValue } from '../../../../../kb/replace-value.js'
import { tokensOf } from '../../model/repair-context.js'
import type { ScoringContext } from '../../model/scoring-context.js'
import { replaceSpan, type Twin, withPreposition } from './make-twins.js'
import { periodPhrase, similarPeriods } from './similar-periods.js'

/** What stands in both a question and its expected query, with twins that have something else there. */
export interface EntryTwins {
  /** The column, `period` or `number`. */
  readonly parameter: string
  readonly value: string
  readonly twins: readonly Twin[]
}

/**
 * Returns twins of a case that is answered from an entry without parameters: each value that stands in its question and its
 * expected query is exchanged, texts for others that the data have. A value that stands in the query only is definition.
 */
export async function makeEntryTwins(testCase: SqlCase, context: ScoringContext): Promise<EntryTwins[]> {
  const { question, expectedSql: sql } = testCase
  const dialect = context.expectedDialect(testCase)
  const tokens = tokensOf(sql, dialect, context.parser)
  const slots = slotsOf({ phrase: question, sql, tokens }, context.asOf(testCase))
  const twin = (parameter: string, at: number, span: Span, words: string, changed: string): Twin => ({
    parameter,
    testCase: {
      ...testCase,
      id: `${testCase.id}~${parameter}${at + 1}`,
      question: replaceSpan(question, span, words),
      expectedSql: changed,
    },
  })
  const found: EntryTwins[] = []
  const [period, another] = slots.periods
  if (period !== undefined && another === undefined) {
    const twins = similarPeriods(period.period).flatMap((other, at) => {
      const changed = replaceValue(
        sql,
        tokens,
        { kind: 'date_range', ...period.period },
        { kind: 'date_range', ...other },
      )
      const words = withPreposition(period.span, periodPhrase(other))
      return changed === undefined ? [] : [twin('period', at, period.span, words, changed)]
    })
    const { start, end } = period.period
    found.push({ parameter: 'period', value: `${start} ${end}`, twins })
  }
  const stored = await context.storedValues?.(testCase)
  for (const { value, written, span } of slots.texts) {
    const others = await stored?.othersOf({ sql, dialect, text: value })
    const parameter = others?.column ?? `"${value}"`
    const twins = (others?.values ?? []).flatMap((other, at) => {
      const changed = replaceTokens(sql, tokens, (token) =>
        token.kind === 'string' && token.value === value ? quoted(other) : undefined,
      )
      const words = written.length > value.length ? `${other}s` : other
      return changed === undefined ? [] : [twin(parameter, at, span, words, changed)]
    })
    found.push({ parameter, value, twins })
  }
  for (const span of slots.numbers) {
    const number = Number(span.text)
    const twins = [number + 1, number - 1, number + 2].flatMap((other, at) => {
      const to = { kind: 'number', value: other } as const
      const changed = other > 0 ? replaceValue(sql, tokens, { kind: 'number', value: number }, to) : undefined
      return changed === undefined ? [] : [twin('number', at, span, String(other), changed)]
    })
    found.push({ parameter: 'number', value: span.text, twins })
  }
  return found
}
