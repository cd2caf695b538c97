import type { KnowledgeBase } from '../../../../../kb/entry.js'
import type { CommitText } from '../../model/knowledge-history.js'
import type { PlannedFile } from './sentence-views.js'
import { names, sentencesOf } from './statements.js'

/** Returns the sentences of a commit's message, without trailers. */
export function messageSentences({ subject = '', body = '' }: CommitText): string[] {
  return sentencesOf(`${subject}\n${body}`).map(({ text }) => text)
}

/** Commits of repairs describe what was repaired, and decide nothing. */
export function isByPerson({ trailers = [] }: CommitText): boolean {
  return !(trailers.includes('Cases-Fixed') && trailers.includes('Run'))
}

/**
 * Reports whether a commit is about the file's metrics: it names one of them, or it changed the file and names no
 * other metric that it may be about. The commit of the change itself is about another one only if it changed that
 * one, too: "orders" may be a metric or just a word.
 */
export function concerns(commit: CommitText, isOwn: boolean, file: PlannedFile, kb: KnowledgeBase): boolean {
  const text = `${commit.subject ?? ''}\n${commit.body ?? ''}`
  if (file.metrics.some((metric) => names(text, metric))) return true
  const named = kb.metrics.filter((metric) => names(text, metric))
  if (!isOwn) return named.length === 0 && commit.paths?.includes(file.path) === true
  return !named.some((metric) => {
    const query = kb.snippets.get(metric.snippet)?.path
    return [metric.path, query].some((path) => path !== undefined && commit.paths?.includes(path))
  })
}

/** Reports whether a sentence of a message claims not to change what queries return. */
export function isHousekeeping(sentence: string): boolean {
  // How tables are stored is no matter of what queries mean.
  if (/\b(?:index(?:es)?|indices|partition\w*|backfill\w*|vacuum)\b/iu.test(sentence)) return true
  return /^\W*(?:\w+(?:\([^)]*\))?: *)?(?:refactor|tid(?:y|ied)|clean|format|reformat|style|lint|rename|simplif|mov(?:e|ed)|reorgani[sz]|whitespace|indent|typo|chore|cosmetic|polish|perf|speed|optimi[sz]|document|docs|merge (?:branch|pull))/iu.test(
    sentence,
  )
}
