import type { KnowledgeBase } from '../../../../../kb/entry.js'
import type { CommitText } from '../../model/knowledge-history.js'
import { isHousekeeping, messageSentences } from './commit-relevance.js'
import { namesTerm, type PlannedFile, type UndoneTerms, viewsOf, withoutNames } from './sentence-views.js'
import { specificWords } from './specific-words.js'
import type { SqlTerm } from './sql-terms.js'
import { names } from './statements.js'

export interface UndoneChange extends UndoneTerms {
  /** The terms that the same change touched besides. */
  readonly others: readonly SqlTerm[]
}

// Words of a decision, whatever it is about.
const deciding =
  /->|→|=>|\b(?:on purpose|decid\w*|decision|agreed|from now on|any ?more|no longer|by default|instead of|as well|too)\b/iu

/**
 * Reports whether the message of the commit that made a change says what it changed, in whatever direction:
 * people who name a column or a definition while they change it meant to change it.
 */
export function explainsChange(
  commit: CommitText,
  change: UndoneChange,
  file: PlannedFile,
  kb: KnowledgeBase,
): boolean {
  const isAlone = changesOnly(commit, file, kb)
  return messageSentences(commit).some((sentence) => {
    if (isHousekeeping(sentence))
      return viewsOf([sentence], change, file, kb).some(({ view }) => view === 'against')
    if (namesTerm(sentence, [...change.terms, ...change.conditions], file, kb)) return true
    if (namesTerm(sentence, change.others, file, kb)) return false
    const words = withoutNames(sentence, file.metrics)
    if (deciding.test(words)) return true
    const isAbout = isAlone || file.metrics.some((metric) => names(sentence, metric))
    return isAbout && specificWords(words).length > 0
  })
}

/** Reports whether a commit changed nothing but the file's metrics, so that its message is about them. */
function changesOnly({ paths = [] }: CommitText, file: PlannedFile, kb: KnowledgeBase): boolean {
  const own = file.metrics.flatMap((metric) => [metric.path, kb.snippets.get(metric.snippet)?.path])
  return paths.length > 0 && paths.every((path) => path === file.path || own.includes(path))
}
