import type { KnowledgeBase, Metric, Parameter } from '../../../../kb/entry.js'
import { lineReaderOf, type RemovedLinesContext, removedLinesOf } from './removed-lines.js'

/**
 * Returns the words of an enum's or a choice's value besides its code, according to other evidence: a line
 * that was removed from the metric's own file, or most of the other metrics with a parameter of that name.
 * Words that have another meaning in this metric are left out.
 */
export function knownValueAliases(
  metric: Metric,
  parameter: string,
  code: string,
  kb: KnowledgeBase,
  context: RemovedLinesContext,
): string[] {
  const own = new Set(wordsOf(metric).map((word) => word.toLowerCase()))
  const words = removedAliases(metric, code, context) ?? aliasesInOtherMetrics(metric, parameter, code, kb)
  return words.filter((word) => !own.has(word.toLowerCase()) && word.toLowerCase() !== code.toLowerCase())
}

/**
 * Reads `PH: [Philippines]` from lines removed from the file, also where the words are on lines of their own.
 */
function removedAliases({ path }: Metric, code: string, context: RemovedLinesContext): string[] | undefined {
  const taken = new Map<string, string>()
  for (const { by, text } of removedLinesOf(path, context)) taken.set(by, `${taken.get(by) ?? ''}${text}\n`)
  const { valueWords: wordsBehind } = lineReaderOf(context)
  for (const text of taken.values()) {
    const words = wordsBehind(code, text)
    if (words !== undefined) return words
  }
  return undefined
}

function aliasesInOtherMetrics(metric: Metric, parameter: string, code: string, kb: KnowledgeBase): string[] {
  const lists = kb.metrics.flatMap((other) => {
    const found = other.id === metric.id ? undefined : other.parameters.get(parameter)
    const words = found?.type === 'enum' ? found.values.get(code) : undefined
    return words === undefined ? [] : [words]
  })
  const all = [...new Set(lists.flat())]
  return all.filter((word) => lists.filter((words) => words.includes(word)).length * 2 > lists.length)
}

/** Returns every word by which a question to the metric can be understood. */
function wordsOf({ aliases, parameters }: Metric): string[] {
  return [...aliases, ...[...parameters.values()].flatMap(valueWords)]
}

function valueWords(parameter: Parameter): readonly string[] {
  switch (parameter.type) {
    case 'enum':
      return [...parameter.values].flatMap(([code, words]) => [code, ...words])
    case 'choice':
      return [...parameter.values.values()].flatMap((choice) => choice.aliases)
    case 'number':
      return parameter.words
    case 'date_range':
      return []
  }
}
