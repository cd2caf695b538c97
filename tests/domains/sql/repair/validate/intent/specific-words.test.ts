import { describe, expect, it } from 'vitest'
import { specificWords } from '../../../../../../src/domains/sql/repair/validate/intent/specific-words.js'

describe('words of a commit message that say what changed', () => {
  it.each([
    'Update mrr.sql (#77)',
    'fixes',
    'Improve performance of the nightly run',
    'Apply suggestions from code review',
    'DATA-2231',
    'easier to read',
    'rewrote as a CTE, faster now',
    'Auto-format (pre-commit)',
  ])('none: %s', (message) => expect(specificWords(message)).toEqual([]))

  it.each([
    ['Use list price', ['list', 'price']],
    ['Refunds are deducted', ['refunds', 'deducted']],
    ['Show ten by default', ['ten', 'default']],
  ])('%s', (message, words) => expect(specificWords(message)).toEqual(words))
})
