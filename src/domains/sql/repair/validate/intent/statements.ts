import { collectRemarks } from '../../../../../kb/claims/documentation-remarks.js'
import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import { positionOf } from '../../../../../kb/snippet-check.js'
import { wordsPattern } from '../../../../../kb/words/contains-words.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { formatOf, type RepairContext } from '../../model/repair-context.js'
import { sentencesOf } from './stated-reason.js'

/** A sentence that people wrote in the knowledge base. */
export interface WrittenStatement {
  readonly text: string
  readonly path: string
  /** From 1. */
  readonly line: number
  /** Whether it stands in the files of the metrics, or names one of them; else it is in a note that names no metric. */
  readonly isAbout: boolean
}

/**
 * Returns the sentences that may be about these metrics: comments, titles and descriptions in their files, and notes,
 * without headings and code, as far as they name no other metric.
 */
export function statementsAbout(
  metrics: readonly Metric[],
  snapshot: Snapshot,
  kb: KnowledgeBase,
  context: RepairContext,
): WrittenStatement[] {
  const textOf = (path: string): string => readText(snapshot, path) ?? ''
  const own: KnowledgeBase = {
    ...kb,
    metrics,
    snippets: new Map([...kb.snippets].filter(([name]) => metrics.some(({ snippet }) => snippet === name))),
  }
  const remarks = collectRemarks(own, textOf).flatMap(({ from, text, path, start }) => {
    const before = textOf(path).slice(0, start)
    if (from === 'note' && (text.startsWith('#') || isInCode(before, text))) return []
    const isAbout = from !== 'note' || namesAny([text, headingOf(before)], metrics)
    if (!isAbout && namesAny([text, headingOf(before)], kb.metrics)) return []
    return sentencesOf(text).map((sentence) => ({
      text: sentence,
      path,
      line: positionOf(textOf(path), Math.max(textOf(path).indexOf(sentence.slice(0, 20), start), start))
        .line,
      isAbout,
    }))
  })
  return [...remarks, ...metrics.flatMap((metric) => descriptionOf(metric, textOf, snapshot, context))]
}

/** Returns what the author wrote about a metric in its file, besides its title and comments. */
function descriptionOf(
  metric: Metric,
  textOf: (path: string) => string,
  snapshot: Snapshot,
  context: RepairContext,
): WrittenStatement[] {
  const text = textOf(metric.path)
  const prose = formatOf(context).declarationOf(metric, snapshot).prose
  return prose
    .filter((each) => !each.trimStart().startsWith('#'))
    .flatMap((each) => {
      const { line } = positionOf(text, Math.max(text.indexOf(each.trim().split('\n')[0] ?? ''), 0))
      return sentencesOf(each).map((sentence) => ({ text: sentence, path: metric.path, line, isAbout: true }))
    })
}

function headingOf(before: string): string {
  return before.match(/^#+ .*$/gmu)?.at(-1) ?? ''
}

function isInCode(before: string, text: string): boolean {
  return text.startsWith('```') || (before.match(/^```/gmu) ?? []).length % 2 === 1
}

function namesAny(texts: readonly string[], metrics: readonly Metric[]): boolean {
  return metrics.some((metric) => texts.some((text) => names(text, metric)))
}

// Each paragraph of the notes is compared with each metric.
const namePatterns = new WeakMap<Metric, RegExp>()

/** Reports whether a text names a metric: by its name, title or one of its aliases. */
export function names(text: string, metric: Metric): boolean {
  const pattern = namePatterns.get(metric) ?? wordsPattern(namesOf(metric))
  namePatterns.set(metric, pattern)
  return pattern.test(text)
}

/** Returns what people call a metric: its name, title and aliases. */
export function namesOf({ name, title, aliases }: Metric): string[] {
  return [name, name.replaceAll('_', ' '), title, ...aliases].filter((each) => each.trim() !== '')
}

/** Returns the metrics that read a query, or that are declared in a file. */
export function metricsIn(path: string, kb: KnowledgeBase): Metric[] {
  return kb.metrics.filter((metric) => metric.path === path || kb.snippets.get(metric.snippet)?.path === path)
}
