import type { KnowledgeBase } from '../../../../../kb/entry.js'
import { isHousekeeping } from './commit-relevance.js'
import { namesTerm, type PlannedFile, type UndoneTerms, viewsOf, withoutNames } from './sentence-views.js'
import type { SqlTerm } from './sql-terms.js'
import { names } from './statements.js'

export interface UndoneChange extends UndoneTerms {
  /** The terms that the same change touched besides. */
  readonly others: readonly SqlTerm[]
}

// Words of a definition: what counts, on what basis, and that it was decided.
const defining =
  /->|→|=>|\b(?:as of|defaults?|rather than|also|threshold|cut-?off|means?|defined as|definition|gross|net|unless|except|since|only|both|every|all|now|(?:includ|exclud|ignor|stop|keep|leav)\w*|count(?:s|ed|ing)?)\b/iu

// The same also where the metric is not named.
const deciding =
  /->|→|=>|\b(?:on purpose|decid\w*|decision|agreed|from now on|any ?more|no longer|by default|instead of|as well|too)\b/iu

/**
 * Reports whether the message of the commit that made a change says what it changed, in whatever direction:
 * people who name a column or a definition while they change it meant to change it.
 */
export function explainsChange(
  sentences: readonly string[],
  change: UndoneChange,
  file: PlannedFile,
  kb: KnowledgeBase,
): boolean {
  return sentences.some((sentence) => {
    if (isHousekeeping(sentence))
      return viewsOf([sentence], change, file, kb).some(({ view }) => view === 'against')
    if (namesTerm(sentence, [...change.terms, ...change.conditions], file, kb)) return true
    if (namesTerm(sentence, change.others, file, kb)) return false
    const words = withoutNames(sentence, file.metrics)
    return (
      deciding.test(words) || (file.metrics.some((metric) => names(sentence, metric)) && defining.test(words))
    )
  })
}
