import { describe, expect, it } from 'vitest'
import {
  contradicts,
  type Stance,
  stanceOf,
} from '../../../../../../src/domains/sql/repair/validate/intent/stance.js'

/** The mentioned words are in brackets. */
function stanceIn(marked: string): Stance {
  const start = marked.indexOf('[')
  const end = marked.indexOf(']') - 1
  return stanceOf(marked.replaceAll(/[[\]]/gu, ''), { start, end })
}

describe('stance of a sentence towards what it mentions', () => {
  it.each([
    'MRR: [past_due] no longer counts, finance decision 2025-11',
    'MRR excludes [past_due]',
    'exclude [internal] users',
    'stop counting [trials]',
    'We do not count [cancelled] orders',
    '[Spam] orders are out per legal',
    '[trial] is not counted any more',
    'leave [test orders] out',
    'filter out [bots]',
    'take [refunds] out of GMV',
    'revenue without [past_due]',
    'never count [trial] accounts',
    '[trial] accounts are excluded',
    '[deleted] accounts should not be included',
    'ignore [spam]',
    'drop [past_due] from MRR',
    'remove [trial] users from the count',
    'use net_amount instead of [gross_amount]',
    '[trials] removed from MRR',
    'do not include [draft]',
    'add [is_spam] filter',
    'filter [is_spam] rows out',
    "don't count [refunded]",
    'no [trials] in MRR',
    'paid orders except [gift] orders',
  ])('excludes: %s', (sentence) => expect(stanceIn(sentence)).toBe('exclude'))

  it.each([
    'count [past_due] too',
    '[past_due] counts again',
    'MRR now includes [past_due]',
    'includes [trial] accounts',
    '[trials] are included as well',
    'we count [cancelled] orders now',
    'add [PH] to the markets',
    'keep [past_due] in MRR',
  ])('includes: %s', (sentence) => expect(stanceIn(sentence)).toBe('include'))

  it.each([
    'only [active] subscriptions',
    'counts only [paid] orders',
    '[paid] orders only',
    'only the [active] ones',
  ])('only: %s', (sentence) => expect(stanceIn(sentence)).toBe('only'))

  it.each([
    'never filter on [is_test]',
    'drop the [is_test] filter',
    'remove the filter on [is_spam]',
    'remove [status] condition',
    '[spam] is no longer excluded',
    'do not filter by [status]',
    'no longer exclude [trials]',
    'stop filtering on [is_spam]',
    'without the [is_test] filter',
    '[test] orders are not filtered out any more',
  ])('wants no condition: %s', (sentence) => expect(stanceIn(sentence)).toBe('no_condition'))

  it.each([
    'index on [status]',
    'rename [status] alias',
    'mrr by [plan]',
    'the [status] column holds one of four values',
    'document [is_spam]',
    '[amounts] are in cents',
  ])('only names it: %s', (sentence) => expect(stanceIn(sentence)).toBe('neutral'))
})

describe('contradiction of a stance', () => {
  it.each([
    ['exclude', 'listed', true, true],
    ['exclude', 'only', true, true],
    ['exclude', 'free', false, true],
    ['exclude', 'excluded', true, false],
    ['include', 'excluded', false, true],
    ['include', 'free', false, false],
    ['only', 'free', false, true],
    ['only', 'only', true, false],
    ['only', 'listed', true, false],
    ['no_condition', 'excluded', true, true],
    ['no_condition', 'free', false, false],
    ['neutral', 'excluded', true, false],
    // The rows cannot be told: whether the query has the term decides.
    ['exclude', undefined, true, true],
    ['exclude', undefined, false, false],
    ['include', undefined, false, true],
    ['include', undefined, true, false],
    ['no_condition', undefined, true, true],
  ] as const)('%s of %s rows', (stance, effect, isPresent, expected) => {
    expect(contradicts(stance, effect, isPresent)).toBe(expected)
  })
})
