import { expect, it } from 'vitest'
import { parseDuration, parseSize } from '../../src/config/parse-units.js'

it.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['10m', 600_000],
  ['1.5h', 5_400_000],
  [' 2 s ', 2000],
])('the duration %s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

it.each(['30', 's', '-1s', '1d', '1s1', '1e3s', '', '30S'])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})

it.each([
  ['64MB', 64_000_000],
  ['1GB', 1_000_000_000],
  ['512KiB', 524_288],
  ['10 b', 10],
  ['1.5 mb', 1_500_000],
])('the size %s is %d bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})

it.each(['64', 'MB', '-1MB', '1XB', ''])('%j is no size', (text) => {
  expect(parseSize(text)).toBeUndefined()
})
