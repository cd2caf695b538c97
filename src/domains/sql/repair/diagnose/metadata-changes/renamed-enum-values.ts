import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric, Parameter } from '../../../../../kb/entry.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import { isSamePhrase } from '../../model/edited-words.js'
import { expectedSqlFor, interpretationOf, type RepairContext, tokensOf } from '../../model/repair-context.js'
import { type MetadataChange, renameEnumValue, withKey } from './metadata-change.js'

type EnumParameter = Extract<Parameter, { type: 'enum' }>

/** A metric with its own list of values for a parameter. */
interface EnumDeclaration {
  readonly metric: Metric
  readonly parameter: EnumParameter
}

/**
 * Replaces one code with another in all metrics that have it: if a code was replaced everywhere, no metric is
 * left as evidence. Cases of at least two metrics must require it with words of the code, and no case may
 * expect the present code or use those words for anything else: a single mistaken query looks just the same.
 */
export function renameEnumValueEverywhere(
  name: string,
  from: string,
  to: string,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const lists = kb.metrics.flatMap((metric): EnumDeclaration[] => {
    const parameter = metric.parameters.get(name)
    return parameter?.type === 'enum' ? [{ metric, parameter }] : []
  })
  const having = lists.filter(({ parameter }) => parameter.values.has(from))
  const words = [...new Set(having.flatMap(({ parameter }) => parameter.values.get(from) ?? []))]
  const [word] = words
  const isKnown = lists.some(({ parameter: { values } }) => values.has(to) || hasWords(values, words, from))
  if (word === undefined || having.length < 2 || isKnown) return []
  if (!casesAgree(words, name, from, to, kb, context)) return []
  return [
    {
      label: 'wrong_definition',
      subject: `metrics ${having.map(({ metric }) => metric.name).join(', ')}`,
      title: `${having.length} metrics: "${word}" is ${name} ${to}, not ${from}`,
      reasoning: `the expected queries of several metrics have '${to}' for ${name}, their questions say "${word}", and no case expects '${from}'`,
      affectsAllMetrics: true,
      ...withKey(
        having.flatMap(({ metric, parameter }) => renameEnumValue(metric, name, parameter, from, to)),
      ),
    },
  ]
}

/** Reports whether another code has one of the words. */
function hasWords(values: EnumParameter['values'], words: readonly string[], but: string): boolean {
  return [...values].some(
    ([code, known]) => code !== but && known.some((each) => words.some((word) => isSamePhrase(word, each))),
  )
}

function casesAgree(
  words: readonly string[],
  name: string,
  from: string,
  to: string,
  kb: KnowledgeBase,
  context: RepairContext,
): boolean {
  const metrics = new Set<string>()
  for (const testCase of context.benchmark ?? []) {
    const texts = stringLiteralsIn(testCase, context)
    if (texts.has(from)) return false
    if (!words.some((word) => containsWords(testCase.question, word))) continue
    const { metric, bindings } = interpretationOf(testCase, kb, context)
    const isMeant = bindings.some(
      ({ parameter, value }) => parameter === name && value.kind === 'enum' && value.code === from,
    )
    if (metric === undefined || !isMeant) continue
    if (!texts.has(to)) return false
    metrics.add(metric.id)
  }
  return metrics.size > 1
}

/** Returns the string literals that the expected query compares with. */
function stringLiteralsIn(testCase: SqlCase, context: RepairContext): ReadonlySet<string> {
  const expected = expectedSqlFor(testCase, context) ?? ''
  const tokens = tokensOf(expected, context.dialect, context.parser)
  return new Set(tokens.flatMap(({ kind, value }) => (kind === 'string' ? [value] : [])))
}
