import { expect, it } from 'vitest'
import { nearest } from '../../src/text/nearest-word.js'

it.each([
  ['expectd_sql', 'expected_sql'],
  ['trafic', 'traffic'],
  ['TRAFFIC', 'traffic'],
  ['idd', 'id'],
  ['asd', 'ads'],
  ['tarffic', 'traffic'],
  ['zebra', undefined],
  ['', undefined],
])('the word meant by "%s" is %s', (typed, meant) => {
  expect(nearest(typed, ['id', 'traffic', 'expected_sql', 'ads'])).toBe(meant)
})
