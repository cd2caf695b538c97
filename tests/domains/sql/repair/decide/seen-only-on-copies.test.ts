import { expect, it } from 'vitest'
import { seenOnlyOnCopies } from '../../../../../src/domains/sql/repair/decide/seen-only-on-copies.js'
import type { SqlEvaluation } from '../../../../../src/domains/sql/repair/model/sql-repair-types.js'
import { id, th } from '../propose/git-restore/shop-history.js'

const differing = (copy: { readonly index: number; readonly title: string } | undefined): SqlEvaluation =>
  ({ score: { results: { kind: 'mismatch', comparison: {}, copy } } }) as unknown as SqlEvaluation

it('is a concern where the only case does not differ on the data themselves', () => {
  const copy = { index: 2, title: 'NULL in each column' }
  const concerns = (...results: readonly (typeof copy | undefined)[]): string[] =>
    seenOnlyOnCopies(
      [id, th].slice(0, results.length),
      new Map([id, th].map((each, at) => [each.id, differing(results[at])])),
    )
  expect(concerns(copy)).toEqual([
    'the rows of the database are equal, and only made-up ones differ (copy 2: NULL in each column)',
  ])
  expect(concerns(copy, copy)).toEqual([])
  expect(concerns(copy, undefined)).toEqual([])
  expect(concerns(undefined)).toEqual([])
})
