import { expect, it } from 'vitest'
import { quoteIfNeeded } from '../../../src/engine/query/quote-names.js'

it('a name is quoted where a query has to quote it', () => {
  expect(['visits', 'order items', 'a"b', '1st'].map(quoteIfNeeded)).toEqual([
    'visits',
    '"order items"',
    '"a""b"',
    '"1st"',
  ])
})
