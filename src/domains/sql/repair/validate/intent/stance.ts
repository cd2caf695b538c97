import type { RowEffect } from './row-effect.js'
import type { Mention } from './term-mentions.js'

/**
 * What a sentence wants done with the rows of a term that it mentions: leave them out, count them, count no
 * others, or set no condition on them. `neutral`: it only names the term.
 */
export type Stance = 'exclude' | 'include' | 'only' | 'no_condition' | 'neutral'

const condition = '(?:filters?|conditions?|exclusions?|restrictions?|clauses?|predicates?|checks?|where)'
const count = '(?:count|includ|contain|report|consider|show|sum|cover|us)\\w*'
const negation = "(?:not|n't|never|no longer)"

/** Sentences that take a condition away: their rows come back. */
const noConditionBefore = [
  /\b(?:never|do not|don't|no longer|stop) (?:filter|restrict|exclud)\w*(?: (?:on|by|out|for|the))*$/iu,
  /\b(?:not|n't|no longer) (?:be )?(?:excluded|filtered|left out|restricted)\b[^.;]*$/iu,
  /\b(?:drop|remov|delet|lift|without|tak|took|no)\w*(?: out)?(?: an?| the| its| our)?$/iu,
]
const noConditionAfter = [
  new RegExp(
    `^\\s*(?:=\\s*\\S+\\s*|status )?(?:${condition})\\b(?!.*\\b(?:add|requir|need|restor)\\w*)`,
    'iu',
  ),
  new RegExp(
    `^[^.;,]*\\b(?:is|are|be|was|were) (?:${negation}) (?:be )?(?:excluded|filtered|left out|ignored|removed)`,
    'iu',
  ),
]

const excludeBefore = [
  /\b(?:exclud|ignor|omit|skip|strip|drop|remov|disregard|discard|reject)\w*\b[^.;:]{0,40}$/iu,
  /\b(?:without|except(?: for)?|less|minus|excluding|instead of|rather than|out of|other than)\b[^.;:,]{0,30}$/iu,
  /\b(?:leav\w*|left|tak\w*|took|filter\w*|keep\w*) out\b[^.;:]{0,30}$/iu,
  new RegExp(
    `\\b(?:do|does|did|is|are|must|should|will|can|may)? ?${negation} (?:be |to )?(?:${count})\\b[^.;:]{0,40}$`,
    'iu',
  ),
  new RegExp(`\\bstop(?:s|ped)? (?:${count})\\b[^.;:]{0,40}$`, 'iu'),
  /\bnot(?: the| any)?$/iu,
  /\bno$/iu,
]
const excludeAfter = [
  new RegExp(`^[^.;:]{0,40}\\b${negation} (?:be )?(?:${count})\\b`, 'iu'),
  /^[^.;:]{0,40}\b(?:is|are|be|get|gets|was|were)? ?(?:now )?(?:excluded|ignored|left out|dropped|removed|omitted|skipped|filtered out|taken out)\b/iu,
  /^[^.;:,]{0,20}\b(?:is|are|stays?|go(?:es)?|was|were) (?:now )?out\b/iu,
  /^[^.;:,]{0,20}\b(?:is|are|was|were) (?:not|no longer) (?:part|in|ours|revenue)\b/iu,
]

/** "leave trials out": the verb before, "out" after. */
const [splitVerb, splitOut] = [
  /\b(?:leav\w*|tak\w*|took|filter\w*|keep\w*|kick\w*)(?: \w+){0,2}$/iu,
  /^(?: \w+){0,2} out\b/iu,
]

const includeBefore = [
  /\b(?:includ|count|keep|add|report|contain)\w*\b[^.;:]{0,40}$/iu,
  /\b(?:plus|and also|together with)\b[^.;:]{0,20}$/iu,
]
const includeAfter = [
  /^[^.;:]{0,40}\b(?:counts?|counted|included|reported)\b/iu,
  /^[^.;:]{0,30}\b(?:too|as well|again|also)\b/iu,
  /^[^.;:,]{0,20}\b(?:is|are) (?:now )?(?:in|part)\b/iu,
]

const onlyBefore = /\b(?:only|just|solely|exclusively|nothing but)(?: the| for| from)?$/iu
const onlyAfter = /^(?: \w+){0,2} (?:only|alone|exclusively)\b/iu

/** Returns the stance of a sentence towards a term that it mentions. */
export function stanceOf(sentence: string, { start, end }: Mention): Stance {
  // A comma separates what is said of other things.
  const before = sentence.slice(0, start).trimEnd()
  const after = sentence.slice(end)
  const removesCondition = noConditionAfter.some((pattern) => pattern.test(after))
  const [asksFor, drops, takes] = noConditionBefore
  if (asksFor?.test(before) || drops?.test(before)) return 'no_condition'
  if (
    removesCondition &&
    (takes?.test(before) || !/\b(?:add|requir|need|with|restor|appl|us)\w*\b/iu.test(before))
  )
    return takes?.test(before) || /\b(?:are|is|was) (?:not|no longer)|excluded/iu.test(after)
      ? 'no_condition'
      : 'neutral'
  if (removesCondition) return 'exclude'
  if (onlyBefore.test(before) || onlyAfter.test(after)) return 'only'
  const isExcluded =
    excludeBefore.some((pattern) => pattern.test(before)) ||
    excludeAfter.some((pattern) => pattern.test(after)) ||
    (splitVerb.test(before) && splitOut.test(after))
  if (isExcluded) return 'exclude'
  const isIncluded =
    includeBefore.some((pattern) => pattern.test(before)) ||
    includeAfter.some((pattern) => pattern.test(after))
  return isIncluded ? 'include' : 'neutral'
}

/**
 * Reports whether a query does the opposite of what a sentence wants; undefined for a term whose rows cannot be
 * told: then its presence counts.
 */
export function contradicts(stance: Stance, effect: RowEffect, isPresent: boolean): boolean {
  switch (stance) {
    case 'exclude':
      return effect === undefined ? isPresent : effect !== 'excluded'
    case 'include':
      return effect === undefined ? !isPresent : effect === 'excluded'
    case 'only':
      return effect === undefined ? !isPresent : effect !== 'only' && effect !== 'listed'
    case 'no_condition':
      return effect === undefined ? isPresent : effect !== 'free'
    case 'neutral':
      return false
  }
}
