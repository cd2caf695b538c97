import { describe, expect, it } from 'vitest'
import { diffTerms } from '../../../../../../src/domains/sql/repair/validate/intent/sql-terms.js'

const texts = (terms: readonly { readonly text: string }[]): string[] => terms.map(({ text }) => text)

describe('terms that differ between two queries', () => {
  it.each([
    ["WHERE s IN ('a', 'b')", "WHERE s IN ('a')", [], ['b'], ['s']],
    ["WHERE s IN ('a', 'b')", "WHERE s = 'a'", [], ['b'], ['s']],
    ['WHERE x = 1 AND is_spam = 0', 'WHERE x = 1', [], ['is_spam', '0'], ['is_spam']],
    ['SELECT count(DISTINCT u) FROM t', 'SELECT count(u) FROM t', [], ['distinct'], ['count', 'u', 't']],
    ['SELECT sum(gross) FROM t', 'SELECT sum(net) FROM t', ['net'], ['gross'], ['sum', 'gross', 't', 'net']],
    ['WHERE age < 28', 'WHERE age <= 28', [], [], ['age']],
  ])('%s → %s', (before, after, added, removed, conditions) => {
    const found = diffTerms(before, after)
    expect(texts(found.added)).toEqual(added)
    expect(texts(found.removed)).toEqual(removed)
    expect(texts(found.conditions)).toEqual(expect.arrayContaining(conditions.slice(0, 1)))
  })

  it('does not see layout, case and order', () => {
    expect(diffTerms('select A, b from t', 'SELECT b,\n  a FROM t')).toMatchObject({ added: [], removed: [] })
  })
})
