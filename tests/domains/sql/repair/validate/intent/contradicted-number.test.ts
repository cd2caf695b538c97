import { expect, it } from 'vitest'
import { statesReplacedNumber } from '../../../../../../src/domains/sql/repair/validate/intent/contradicted-text.js'
import type { SqlToken } from '../../../../../../src/sql/index.js'

const tokens = (text: string): SqlToken[] =>
  [...text.matchAll(/\S+/gu)].map(({ 0: value, index }) => ({
    kind: /^\d/u.test(value) ? 'number' : 'word',
    text: value,
    value,
    start: index,
    end: index + value.length,
  })) as SqlToken[]

it.each([
  ['Rides under 3 minutes are left out', 'minutes >= 3', 'minutes >= 2', true],
  ['Rides under 3 minutes are left out', 'minutes >= 2', 'minutes >= 3', false],
  ['Rides under 3 minutes, 2 before 2024', 'minutes >= 3', 'minutes >= 2', false],
  ['Rides under 3 minutes are left out', 'minutes >= 3', 'minutes >= 3 AND kind = 1', false],
  ['Rides under 3.5 minutes', 'minutes >= 3', 'minutes >= 2', false],
  ['see form_3 and v3', 'minutes >= 3', 'minutes >= 2', false],
])('"%s" is against changing %s to %s: %s', (sentence, today, planned, expected) => {
  expect(statesReplacedNumber(sentence, tokens(today), tokens(planned))).toBe(expected)
})
