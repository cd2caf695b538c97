import { collectRemarks } from '../../../../../kb/claims/documentation-remarks.js'
import type { KnowledgeBase, Metric, Snippet } from '../../../../../kb/entry.js'
import { positionOf } from '../../../../../kb/snippet-check.js'
import { wordsPattern } from '../../../../../kb/words/contains-words.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { formatOf, type RepairContext } from '../../model/repair-context.js'

/** A sentence that people wrote in the knowledge base about metrics and their queries. */
export interface WrittenStatement {
  readonly source: 'note' | 'comment' | 'title' | 'description'
  readonly text: string
  readonly path: string
  readonly line: number
}

/**
 * Returns the sentences about these metrics: in their titles, comments and descriptions, and in notes that name
 * one of them, or no metric at all.
 */
export function statementsAbout(
  metrics: readonly Metric[],
  snapshot: Snapshot,
  kb: KnowledgeBase,
  context: RepairContext,
): WrittenStatement[] {
  const textOf = (path: string): string => readText(snapshot, path) ?? ''
  const snippets = new Set(metrics.flatMap(({ snippet }) => kb.snippets.get(snippet)?.name ?? []))
  const names = new Set(metrics.map(({ id }) => id))
  const own: KnowledgeBase = {
    ...kb,
    metrics: kb.metrics.filter(({ id }) => names.has(id)),
    snippets: new Map([...kb.snippets].filter(([name]) => snippets.has(name))),
  }
  const remarks = collectRemarks(own, textOf).flatMap(({ from, text, path, start }) =>
    sentencesOf(text).map(({ text: sentence, offset }) => ({
      source: from,
      text: sentence,
      path,
      start: start + offset,
      paragraph: text,
    })),
  )
  const about = remarks.filter(({ source, path, start, paragraph }) =>
    source !== 'note' ? true : isNoteAbout(metrics, paragraph, textOf(path).slice(0, start), path, kb),
  )
  const statements = about.map(
    ({ source, text, path, start }): WrittenStatement => ({
      source,
      text,
      path,
      line: positionOf(textOf(path), start).line,
    }),
  )
  return [...statements, ...metrics.flatMap((metric) => descriptionsOf(metric, snapshot, context))]
}

/** Returns what the author wrote about a metric in its file, besides its title and comments. */
function descriptionsOf(metric: Metric, snapshot: Snapshot, context: RepairContext): WrittenStatement[] {
  const text = readText(snapshot, metric.path) ?? ''
  return formatOf(context)
    .declarationOf(metric, snapshot)
    .prose.filter((prose) => !prose.trimStart().startsWith('#'))
    .flatMap((prose) => {
      const at = Math.max(text.indexOf(prose.trim().split('\n')[0] ?? ''), 0)
      const { line } = positionOf(text, at)
      return sentencesOf(prose).map((sentence) => ({
        source: 'description' as const,
        text: sentence.text,
        path: metric.path,
        line,
      }))
    })
}

/** Reports whether a paragraph of a note is about one of the metrics, by its words, its heading or its file. */
function isNoteAbout(
  metrics: readonly Metric[],
  paragraph: string,
  before: string,
  path: string,
  kb: KnowledgeBase,
): boolean {
  const headings = before.match(/^#+ .*$/gmu) ?? []
  const places = [paragraph, headings.at(-1) ?? '', fileWords(path)]
  for (const place of places) {
    if (metrics.some((metric) => names(place, metric))) return true
    if (kb.metrics.some((metric) => names(place, metric))) return false
  }
  return true
}

function fileWords(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/\.\w+$/u, '').replaceAll(/[-_.]/gu, ' ')
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

interface Sentence {
  readonly text: string
  readonly offset: number
}

/** Splits a text into sentences and parts of sentences that say one thing each. */
export function sentencesOf(text: string): Sentence[] {
  return [...text.matchAll(/[^.;!?\n]+(?:\.(?=\w)[^.;!?\n]+)*[.;!?]*/gu)].flatMap(({ 0: found, index }) => {
    const sentence = found.trim().replaceAll(/\s+/gu, ' ')
    const offset = index + found.length - found.trimStart().length
    return /\p{L}/u.test(sentence) ? [{ text: sentence, offset }] : []
  })
}

/** Returns the metrics that read a query, or that are declared in a file. */
export function metricsIn(path: string, kb: KnowledgeBase): Metric[] {
  const queries = [...kb.snippets.values()].filter((snippet: Snippet) => snippet.path === path)
  return kb.metrics.filter(
    (metric) => metric.path === path || queries.some(({ name }) => name === metric.snippet),
  )
}
