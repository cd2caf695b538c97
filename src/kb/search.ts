import { Sqlite } from '../platform/sqlite.js'
import type { KnowledgeBase, Metric, Parameter } from './entry.js'
import { isStopWord } from './words/content-words.js'
import { tokenize } from './words/tokens.js'

/** Related files of the knowledge base, found by one search. */
export interface Hit {
  /** Ids of the entries: a metric and its snippet, an unused snippet, or a note. */
  readonly ids: readonly string[]
  /** Their paths in the snapshot, in the same order. */
  readonly paths: readonly string[]
  /** How well it matches, as a part of the best match: from 0 to 1. */
  readonly score: number
}

interface Index {
  search(question: string, most: number): Hit[]
}

const indexes = new WeakMap<KnowledgeBase, Index>()

/**
 * Weights of matching words: the aliases of a metric are the strongest evidence, its title is weaker, its SQL
 * the weakest.
 */
const weights = { aliases: 10, title: 4, body: 1 }

/**
 * Returns the entries that a question is about, best first: BM25 over the words of metrics with their
 * snippets, of snippets that no metric uses, and of notes. Equal knowledge gives equal results.
 */
export function searchKnowledge(kb: KnowledgeBase, question: string, most: number): Hit[] {
  const index = indexes.get(kb) ?? build(kb)
  indexes.set(kb, index)
  return index.search(question, most)
}

interface Document extends Omit<Hit, 'score'> {
  readonly aliases: string
  readonly title: string
  readonly body: string
}

function build(kb: KnowledgeBase): Index {
  const documents = documentsOf(kb)
  const database = new Sqlite(':memory:')
  database.exec(
    "CREATE VIRTUAL TABLE entries USING fts5(aliases, title, body, tokenize = 'porter unicode61')",
  )
  const insert = database.prepare('INSERT INTO entries (rowid, aliases, title, body) VALUES (?, ?, ?, ?)')
  database.transaction(() => {
    for (const [at, { aliases, title, body }] of documents.entries()) insert.run(at + 1, aliases, title, body)
  })()
  const found = database.prepare<[string, number], { rowid: number; score: number }>(
    // Better matches have lower, negative scores.
    `SELECT rowid, bm25(entries, ${weights.aliases}, ${weights.title}, ${weights.body}) AS score
     FROM entries WHERE entries MATCH ? ORDER BY score, rowid LIMIT ?`,
  )
  return {
    search(question, most) {
      const words = tokenize(question).filter(({ isWord, folded }) => isWord && !isStopWord(folded))
      if (words.length === 0) return []
      const query = words.map(({ text }) => `"${text}"`).join(' OR ')
      const rows = found.all(query, most)
      const best = rows[0]?.score ?? 0
      return rows.flatMap(({ rowid, score }) => {
        const document = documents[rowid - 1]
        if (document === undefined) return []
        return [{ ids: document.ids, paths: document.paths, score: best === 0 ? 1 : score / best }]
      })
    },
  }
}

function documentsOf(kb: KnowledgeBase): Document[] {
  const used = new Set(kb.metrics.map(({ snippet }) => snippet))
  return [
    ...kb.metrics.map((metric) => metricDocument(metric, kb)),
    ...[...kb.snippets.values()]
      .filter(({ name }) => !used.has(name))
      .map(({ id, path, name, text }) => ({
        ids: [id],
        paths: [path],
        aliases: '',
        title: name,
        body: text,
      })),
    ...kb.notes.map(({ id, path, text }) => ({
      ids: [id],
      paths: [path],
      aliases: '',
      title: id,
      body: text,
    })),
  ]
}

function metricDocument(metric: Metric, kb: KnowledgeBase): Document {
  const snippet = kb.snippets.get(metric.snippet)
  return {
    ids: [metric.id, ...(snippet === undefined ? [] : [snippet.id])],
    paths: [metric.path, ...(snippet === undefined ? [] : [snippet.path])],
    aliases: [metric.name.replaceAll('_', ' '), ...metric.aliases].join(' · '),
    title: metric.title,
    body: [...valueWords(metric), snippet?.text ?? ''].join(' '),
  }
}

/** Returns codes and words of the values of its parameters. */
function valueWords({ parameters }: Metric): string[] {
  return [...parameters.values()].flatMap(wordsOf)
}

function wordsOf(parameter: Parameter): string[] {
  switch (parameter.type) {
    case 'enum':
      return [...parameter.values].flatMap(([code, words]) => [code, ...words])
    case 'choice':
      return [...parameter.values].flatMap(([name, { aliases }]) => [name, ...aliases])
    case 'number':
      return [...parameter.words]
    case 'date_range':
      return []
  }
}
