import type { KnowledgeBase, Metric, Parameter, Snippet } from './entry.js'
import { interpret, namedMetrics } from './interpret-question.js'
import { searchKnowledge } from './search.js'
import { contentWords } from './words/content-words.js'

/** An entry, or the parts of a note, that a question is answered from. */
export interface QuestionEntry {
  readonly id: string
  /** Path in the snapshot. */
  readonly path: string
  readonly text: string
}

/** A placeholder of a query, and what stands for it. */
export interface Placeholder {
  /** As it is written: `period.end_exclusive`. */
  readonly name: string
  readonly meaning: string
}

/** What an agent needs of the knowledge to answer a question. */
export interface QuestionKnowledge {
  readonly entries: readonly QuestionEntry[]
  /** Those that occur in the entries. */
  readonly placeholders: readonly Placeholder[]
  /** The queries among the entries, in one text: only the tables that they use are needed. */
  readonly queries: string
}

/** A match of less than this part of the best one is about something else. */
const minScore = 0.5
/** Passages of notes that are shown with the entries. */
const maxPassages = 4

/**
 * Returns what a question names: its metrics with their queries, and of the notes the passages about them and the
 * columns that they use. Words that no metric explains, or none at all, are searched for, as an entry may have lost its names.
 *
 * @param most number of metrics, or of entries found by search
 * @param textOf returns the text of a file of the knowledge
 */
export function questionKnowledge(
  kb: KnowledgeBase,
  question: string,
  asOf: string,
  most: number,
  textOf: (path: string) => string,
): QuestionKnowledge {
  const named = namedMetrics(question, kb, asOf)
  const isExplained = interpret(question, kb, asOf).kind === 'bound'
  const found = isExplained
    ? []
    : searchKnowledge(kb, question, most).filter(({ score }) => score >= minScore)
  const ids = new Set([...named.flatMap((metric) => idsOf(metric, kb)), ...found.flatMap((hit) => hit.ids)])
  const byId = new Map(kb.metrics.map((metric) => [metric.id, metric]))
  // Those that the question names come first, then the best matches.
  const metrics = [...ids].flatMap((id) => byId.get(id) ?? []).slice(0, most)
  const used = new Set(metrics.map(({ snippet }) => snippet))
  const snippets = [...kb.snippets.values()].filter(
    ({ id, name }) => ids.has(id) && (used.has(name) || kb.metrics.every(({ snippet }) => snippet !== name)),
  )
  const notes = passagesAbout(kb, question, metrics, snippets, ids)
  return {
    entries: [...withQueries(metrics, snippets, textOf), ...notes],
    placeholders: placeholdersOf(metrics, snippets),
    queries: snippets.map(({ text }) => text).join('\n'),
  }
}

function idsOf(metric: Metric, kb: KnowledgeBase): string[] {
  const snippet = kb.snippets.get(metric.snippet)
  return [metric.id, ...(snippet === undefined ? [] : [snippet.id])]
}

/** Returns each metric, followed by its query, then the other queries. */
function withQueries(
  metrics: readonly Metric[],
  snippets: readonly Snippet[],
  textOf: (path: string) => string,
): QuestionEntry[] {
  const left = new Map(snippets.map((snippet) => [snippet.name, snippet]))
  const entries = metrics.flatMap(({ id, path, snippet: name }) => {
    const snippet = left.get(name)
    left.delete(name)
    return snippet === undefined ? [{ id, path }] : [{ id, path }, snippet]
  })
  return [...entries, ...left.values()].map(({ id, path }) => ({ id, path, text: textOf(path) }))
}

/** Returns the passages of notes that name a column or table of the queries, or most words of the question. */
function passagesAbout(
  kb: KnowledgeBase,
  question: string,
  metrics: readonly Metric[],
  snippets: readonly Snippet[],
  found: ReadonlySet<string>,
): QuestionEntry[] {
  const used = new Set(snippets.flatMap(({ text }) => text.toLowerCase().match(/\w+(?:\.\w+)*/g) ?? []))
  const asked = new Set(contentWords(question))
  const names = new Set(metrics.flatMap(({ name, aliases }) => [name, ...aliases].flatMap(contentWords)))
  const scored = kb.notes.flatMap((note) =>
    passagesOf(note.text).map((text, order) => {
      const columns = new Set(identifiersOf(text).filter((name) => used.has(name)))
      const words = new Set(contentWords(text).filter((word) => asked.has(word)))
      const isNamed = [...words].some((word) => names.has(word))
      // Columns are exact names; words of the question count beside them, where they name the metric, or where the note
      // itself was found by them.
      const score = 2 * columns.size + (isNamed || found.has(note.id) || columns.size > 0 ? words.size : 0)
      return { note, text, order, score }
    }),
  )
  const best = scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, maxPassages)
  return kb.notes.flatMap(({ id, path, text: whole }) => {
    const parts = best.filter(({ note }) => note.id === id).toSorted((a, b) => a.order - b.order)
    if (parts.length === 0) return []
    const text = parts.map((part) => part.text).join('\n')
    return [{ id, path, text: parts.length === passagesOf(whole).length ? whole : `${text}\n` }]
  })
}

/** Returns names that are written as names of columns and tables: with an underscore, in backticks, or qualified. */
function identifiersOf(text: string): string[] {
  const names = text.match(/`[^`\s]+`|\b[a-z]\w*(?:[_.][a-z0-9]\w*)+\b/gi) ?? []
  return names.flatMap((name) => name.replaceAll('`', '').toLowerCase().split('.').concat(name.toLowerCase()))
}

/** Returns the paragraphs and list items of a text; headings alone say nothing. */
function passagesOf(text: string): string[] {
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^#+ [^\n]*$/.test(part))
}

const placeholder = /\{\{\s*([\w.]+)\s*\}\}/g

/** Returns the placeholders that occur in the queries of these metrics. */
export function placeholdersOf(metrics: readonly Metric[], snippets: readonly Snippet[]): Placeholder[] {
  const meanings = new Map<string, string>()
  for (const metric of metrics) {
    const text = snippets.find(({ name }) => name === metric.snippet)?.text ?? ''
    for (const [, name = ''] of text.matchAll(placeholder)) {
      const [parameter = '', part = ''] = name.split('.')
      const declared = metric.parameters.get(parameter)
      if (declared !== undefined && !meanings.has(name)) meanings.set(name, meaningOf(declared, part))
    }
  }
  return [...meanings].map(([name, meaning]) => ({ name, meaning }))
}

const periodParts: Readonly<Record<string, string>> = {
  start: 'its first day, as a date literal',
  end: 'its last day, as a date literal',
  end_exclusive: 'the day after its last day, as a date literal',
  days: 'its number of days',
}

function meaningOf(parameter: Parameter, part: string): string {
  const otherwise =
    'default' in parameter && parameter.default !== undefined ? `; else ${parameter.default}` : ''
  switch (parameter.type) {
    case 'date_range':
      return `of the period that the question names, ${periodParts[part] ?? part}`
    case 'enum':
      return `the code of the value that the question names, as a text literal${otherwise}`
    case 'number':
      return `the number that the question gives${parameter.words.length > 0 ? ` after ${parameter.words.join(' or ')}` : ''}${otherwise}`
    case 'choice':
      return `the sql of the value that the question names, not quoted${otherwise}`
  }
}
