import type { KnowledgeBase, Metric, Parameter } from '../kb/entry.js'
import { foldWords } from '../kb/words/fold-words.js'
import type { LintFinding } from './finding.js'

/** Returns findings about words with two meanings: a question that contains one is ambiguous. */
export function collidingWordFindings(kb: KnowledgeBase, textOf: (path: string) => string): LintFinding[] {
  const metrics = metricWords(kb)
  return kb.metrics.flatMap((metric) => {
    const at = positionFinder(textOf(metric.path))
    return [...metric.parameters].flatMap(([name, parameter]) =>
      parameterFindings(metric, name, parameter, metrics, at),
    )
  })
}

/** Returns the metric of each folded word. */
function metricWords(kb: KnowledgeBase): ReadonlyMap<string, Metric> {
  return new Map(
    kb.metrics.flatMap((metric) => metric.aliases.map((alias) => [foldWords(alias), metric] as const)),
  )
}

function parameterFindings(
  metric: Metric,
  name: string,
  parameter: Parameter,
  metrics: ReadonlyMap<string, Metric>,
  at: (word: string) => { readonly line: number; readonly column: number },
): LintFinding[] {
  if (parameter.type !== 'enum' && parameter.type !== 'choice') return []
  const owners = new Map<string, string>()
  const finding = (word: string, message: string): LintFinding => ({
    rule: 'colliding_words',
    severity: 'warning',
    path: metric.path,
    ...at(word),
    message,
    hint: 'A question with this word is ambiguous: keep the word in one place.',
  })
  return [...parameter.values].flatMap(([value, words]) => {
    const aliases = 'aliases' in words ? words.aliases : words
    return aliases.flatMap((word): LintFinding[] => {
      const key = foldWords(word)
      const other = owners.get(key)
      owners.set(key, value)
      const meant = metrics.get(key)
      return [
        ...(other === undefined || other === value
          ? []
          : [finding(word, `"${word}" means both ${other} and ${value} of parameter \`${name}\``)]),
        ...(meant === undefined
          ? []
          : [
              finding(
                word,
                `"${word}" means ${value} of parameter \`${name}\` and metric ${meant.name} (${meant.path})`,
              ),
            ]),
      ]
    })
  })
}

/**
 * Returns a function that finds the position of a word in a file: its last occurrence, as lists of values are
 * below the aliases of the metric.
 */
function positionFinder(text: string) {
  return (word: string) => {
    const lines = text.split('\n')
    const line = lines.findLastIndex((one) => one.includes(word))
    return line < 0
      ? { line: 1, column: 1 }
      : { line: line + 1, column: (lines[line] ?? '').lastIndexOf(word) + 1 }
  }
}
