import type { SqlCase } from '../benchmark/case.js'
import type { EntriesRead } from '../contracts/agent-answer.js'
import { type KnowledgeBase, namedSnippets } from '../kb/entry.js'
import type { Interpretation } from '../kb/question-interpretation.js'
import type { Finding } from './finding.js'

/** Ids of the entries that a case reads; `why` states why there are none. */
export interface CaseReads {
  readonly ids: EntriesRead
  readonly why?: string | undefined
}

/**
 * Returns the entries that the template agent reads for a question: the metric that it names, and the
 * metric's snippet.
 */
export function entriesReadBy(meaning: Interpretation, kb: KnowledgeBase): CaseReads {
  const { metric } = meaning
  const snippet = metric && kb.snippets.get(metric.snippet)
  return {
    ids: [metric?.id, snippet?.id].filter((id) => id !== undefined),
    why: meaning.kind === 'unbound' ? meaning.message : undefined,
  }
}

/** Returns cases whose answer is based on no entry. */
export function findCasesReadingNothing(
  cases: readonly SqlCase[],
  reads: ReadonlyMap<string, CaseReads>,
): Finding[] {
  return cases.flatMap((testCase) => {
    const read = reads.get(testCase.id)
    if (read === undefined || read.ids.length > 0) return []
    const { file, line } = testCase.location
    const why = read.why === undefined ? '' : `: ${read.why}`
    return [
      {
        kind: 'reads_nothing' as const,
        subject: testCase.id,
        file,
        line,
        text: `its question resolves to no entry of the knowledge base${why}`,
        advice: 'Add the metric, or add words of the question to the aliases of one.',
      },
    ]
  })
}

/**
 * Returns entries that no case reads: nobody would notice if they broke. Notes count only if some case reads
 * one; an answer that does not list what it read may have read everything.
 */
export function findUnreadEntries(kb: KnowledgeBase, reads: ReadonlyMap<string, CaseReads>): Finding[] {
  const known = [...reads.values()].flatMap(({ ids }) => (ids === 'all' ? [] : [ids]))
  if (known.length < reads.size) return []
  const read = new Set(known.flat())
  const unread = (subject: string, file: string, text: string, advice: string): Finding => ({
    kind: 'unread_entry',
    subject,
    file,
    line: 1,
    text,
    advice,
  })
  const metrics = kb.metrics
    .filter(({ id }) => !read.has(id))
    .map(({ id, path }) => unread(id, path, 'no case asks for this metric', 'Add a case that asks for it.'))
  const named = namedSnippets(kb)
  const snippets = [...kb.snippets.values()]
    // The snippet of a metric that no case asks for is reported with the metric.
    .filter(({ id, name }) => !read.has(id) && !named.has(name))
    .map(({ id, path }) =>
      unread(id, path, 'no metric uses this snippet', 'Use it in a metric, or remove it.'),
    )
  const areNotesRead = kb.notes.some(({ id }) => read.has(id))
  const notes = (areNotesRead ? kb.notes : [])
    .filter(({ id }) => !read.has(id))
    .map(({ id, path }) => unread(id, path, 'no case uses this note', 'Add a case that needs it.'))
  return [...metrics, ...snippets, ...notes]
}
