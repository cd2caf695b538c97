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

/** Reports whether a commit is about the file's metrics: it changed the file, or names one of them and no other. */
export function concerns(commit: CommitText, isOwn: boolean, file: PlannedFile, kb: KnowledgeBase): boolean {
  const text = `${commit.subject ?? ''}\n${commit.body ?? ''}`
  if (file.metrics.some((metric) => names(text, metric))) return true
  const namesOther = kb.metrics.some((metric) => names(text, metric))
  return !namesOther && (isOwn || commit.paths?.includes(file.path) === true)
}

/** Reports whether a commit claims not to change what queries return. */
export function isHousekeeping({ subject = '' }: CommitText): boolean {
  return /^\W*(?:\w+(?:\([^)]*\))?: *)?(?:refactor|tid(?:y|ied)|clean|format|reformat|style|lint|rename|simplif|mov(?:e|ed)|reorgani[sz]|whitespace|indent|typo|chore|cosmetic|polish|perf|speed|optimi[sz]|document|docs|merge (?:branch|pull))/iu.test(
    subject,
  )
}
