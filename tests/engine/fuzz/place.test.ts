import { describe, expect, it } from 'vitest'
import { looksLike } from '../../../src/engine/fuzz/fitting.js'
import type { PlacedValue } from '../../../src/engine/fuzz/placed-value.js'

describe('a value that queries name', () => {
  it.each<[string, PlacedValue['kind'], string[], boolean]>([
    ['no_show', 'text', ['confirmed', 'held'], true],
    ['no_show', 'text', [], true],
    ['no_show', 'text', ['1', '2'], false],
    ['2025-11-30', 'text', ['2025-01-02'], true],
    ['2025-11', 'text', ['2025-01-02'], false],
    ['202511', 'text', ['20250102'], false],
    ['20251130', 'text', ['20250102'], true],
    ['2025-11-30', 'text', ['2025-01-02 10:00:00'], false],
    ['007', 'text', ['001', '002'], true],
    ['5000', 'number', ['1', '22'], true],
    ['5000', 'number', ['1.5', '22.0'], true],
    ['0.5', 'number', ['1', '22'], false],
    ['1234', 'number', ['01234', '94110'], false],
    ['202601', 'number', ['202501', '202512'], true],
    ['202513', 'number', ['202501', '202512'], false],
    ['20251131', 'text', ['20251130'], false],
    ['10001', 'number', ['01234', '94110'], true],
    ['0.5', 'number', ['1.25', '22.0'], true],
    ['5', 'number', ['a', 'b'], false],
  ])('%s (%s) may stand among %j: %s', (text, kind, held, may) => {
    expect(looksLike(text, kind, held)).toBe(may)
  })
})
