import type { RowEffect } from './row-effect.js'
import type { Mention } from './term-mentions.js'

/**
 * What a sentence wants done with the rows of a term that it mentions: leave them out, count them, count no
 * others, or set no condition on them. `neutral`: it only names the term.
 */
export type Stance = 'exclude' | 'include' | 'only' | 'no_condition' | 'neutral'

/** A form of sentence: what is before and after the mention, as far as it matters. */
interface StanceRule {
  readonly stance: Stance
  readonly before?: RegExp
  readonly after?: RegExp
}

const condition = '(?:filters?|conditions?|exclusions?|restrictions?|clauses?|predicates?|checks?)'
const counts = '(?:count|includ|contain|report|consider|show|sum|cover|us)\\w*'
const not = "(?:\\bnot|n't|\\bnever|\\bno longer)"
const takesAway = '(?:drop|remov|delet|lift|without|tak|took|no)\\w*(?: out)?'
const article = '(?: an?| the| its| our)?'
const setsCondition = new RegExp(`^\\s*(?:= ?\\S+ |status )?${condition}\\b`, 'iu')

/** The first that fits decides. */
const rules: readonly StanceRule[] = [
  {
    stance: 'no_condition',
    before:
      /\b(?:never|do not|don't|no longer|stop) (?:filter|restrict|exclud)\w*(?: (?:on|by|out|for|the))*$/iu,
  },
  {
    stance: 'no_condition',
    before: /\b(?:not|n't|no longer) (?:be )?(?:excluded|filtered|left out|restricted)\b[^.;]*$/iu,
  },
  {
    stance: 'no_condition',
    before: new RegExp(`\\b${takesAway}${article} ${condition}(?: (?:on|for|by|of))?${article}$`, 'iu'),
  },
  {
    stance: 'no_condition',
    after: new RegExp(
      `^[^.;,]*\\b(?:is|are|be|was|were) ?${not} (?:be )?(?:excluded|filtered|left out|ignored|removed)`,
      'iu',
    ),
  },
  { stance: 'no_condition', before: new RegExp(`\\b${takesAway}${article}$`, 'iu'), after: setsCondition },
  { stance: 'exclude', before: /\b(?:add|requir|need|with|restor|appl|us)\w*\b/iu, after: setsCondition },
  { stance: 'neutral', after: setsCondition },
  { stance: 'only', before: /\b(?:only|just|solely|exclusively|nothing but)(?: the| for| from)?$/iu },
  { stance: 'only', after: /^(?: \w+){0,2} (?:only|alone|exclusively)\b/iu },
  {
    stance: 'exclude',
    before: /\b(?:exclud|ignor|omit|skip|strip|drop|remov|disregard|discard|reject)\w*\b[^.;:]{0,40}$/iu,
  },
  {
    stance: 'exclude',
    before:
      /\b(?:without|except(?: for)?|less|minus|excluding|instead of|rather than|out of|other than)\b[^.;:,]{0,30}$/iu,
  },
  { stance: 'exclude', before: /\b(?:leav\w*|left|tak\w*|took|filter\w*|keep\w*) out\b[^.;:]{0,30}$/iu },
  { stance: 'exclude', before: new RegExp(`${not} (?:be |to )?${counts}\\b[^.;:]{0,40}$`, 'iu') },
  { stance: 'exclude', before: new RegExp(`\\bstop(?:s|ped)? ${counts}\\b[^.;:]{0,40}$`, 'iu') },
  { stance: 'exclude', before: /\b(?:not(?: the| any)?|no)$/iu },
  { stance: 'exclude', after: new RegExp(`^[^.;:]{0,40}${not} (?:be )?${counts}\\b`, 'iu') },
  {
    stance: 'exclude',
    after:
      /^[^.;:]{0,40}\b(?:excluded|ignored|left out|dropped|removed|omitted|skipped|filtered out|taken out)\b/iu,
  },
  { stance: 'exclude', after: /^[^.;:,]{0,20}\b(?:is|are|stays?|go(?:es)?|was|were) (?:now )?out\b/iu },
  {
    stance: 'exclude',
    after: /^[^.;:,]{0,20}\b(?:is|are|was|were) (?:not|no longer) (?:part|in|ours|revenue)\b/iu,
  },
  // "leave trials out"
  {
    stance: 'exclude',
    before: /\b(?:leav\w*|tak\w*|took|filter\w*|keep\w*|kick\w*)(?: \w+){0,2}$/iu,
    after: /^(?: \w+){0,2} out\b/iu,
  },
  { stance: 'include', before: /\b(?:includ|count|keep|add|report|contain)\w*\b[^.;:]{0,40}$/iu },
  { stance: 'include', before: /\b(?:plus|and also|together with)\b[^.;:]{0,20}$/iu },
  { stance: 'include', after: /^[^.;:]{0,40}\b(?:counts?|counted|included|reported)\b/iu },
  { stance: 'include', after: /^[^.;:]{0,30}\b(?:too|as well|again|also)\b/iu },
  {
    stance: 'include',
    after: /^[^.;:,]{0,20}\b(?:is|are) (?:now |back )?(?:part of\b|in(?=$|[.,;]| again| now| too))/iu,
  },
]

/** Returns the stance of a sentence towards a term that it mentions. */
export function stanceOf(sentence: string, { start, end }: Mention): Stance {
  const before = sentence.slice(0, start).trimEnd()
  const after = sentence.slice(end)
  const rule = rules.find(
    (each) =>
      (each.before === undefined || each.before.test(before)) &&
      (each.after === undefined || each.after.test(after)),
  )
  return rule?.stance ?? 'neutral'
}

/**
 * Reports whether a query does the opposite of what a sentence wants; for a term whose rows cannot be told, its
 * presence counts.
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
