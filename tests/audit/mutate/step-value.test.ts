import { expect, it } from 'vitest'
import { stepValue } from '../../../src/audit/mutate/step-value.js'

it.each([
  ['2024-02-28', '2024-02-29', '2024-02-27'],
  ['2024-12', '2025-01', '2024-11'],
  ['2024-12-31 23:59', '2025-01-01 00:00', '2024-12-31 23:58'],
  ['2024-12-31T23:59:59', '2025-01-01T00:00:00', '2024-12-31T23:59:58'],
  ['9', '10', '8'],
  ['0', '1', '-1'],
  ['0.05', '0.06', '0.04'],
  ['1.00', '1.01', '0.99'],
  ['12345678901234567890', '12345678901234567891', '12345678901234567889'],
])('%s is followed by %s and preceded by %s', (text, next, previous) => {
  expect(stepValue(text, 1)).toBe(next)
  expect(stepValue(text, -1)).toBe(previous)
})

it.each(['paid', '2024-02-30x', '1e5', '-1', ''])('%j has no next value', (text) => {
  expect(stepValue(text, 1)).toBeUndefined()
})
