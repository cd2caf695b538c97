import { describe, expect, it } from 'vitest'
import { valueGenerators } from '../../../src/engine/child/duckdb/value-generators.js'
import { parsePeriod } from '../../../src/engine/fuzz/date-text.js'
import type { Cell } from '../../../src/engine/fuzz/fuzz-table.js'
import { freshScalars, perturbScalar } from '../../../src/engine/fuzz/perturb-values.js'
import { randomFrom } from '../../../src/engine/fuzz/seeded-random.js'

describe('a perturbed value', () => {
  it.each<Cell>([
    '2025-12',
    '202501',
    '20250331',
    '2024-02-29',
    '2025-12-31 23:59:59',
    '2025-03-05T10:00',
    202512n,
    20991231n,
    '9999-12-31',
  ])('%s is a day, month or moment again', (cell) => {
    const random = randomFrom('near')
    const seen = new Set<string>()
    const form = parsePeriod(String(cell))?.format
    for (let at = 0; at < 60; at++) {
      const near = perturbScalar(cell, random) ?? null
      expect(typeof near).toBe(typeof cell)
      expect(parsePeriod(String(near))?.format).toBe(form)
      seen.add(String(near))
    }
    expect(seen.size).toBeGreaterThan(1)
  })

  it.each(['2025-07-15', '2025-07', '2025-07-15 08:30:00'])('%s may be the same in another year', (cell) => {
    const random = randomFrom('near')
    const seen = Array.from({ length: 80 }, () => String(perturbScalar(cell, random)))
    expect(seen).toContain(cell.replace('2025', '2024'))
    expect(seen).toContain(cell.replace('2025', '2026'))
  })

  it('of JSON changes one value in it, or how many a list has', () => {
    const random = randomFrom('near')
    const seen = new Set<unknown>()
    for (let at = 0; at < 200; at++) {
      const near = perturbScalar('{"city": "Jakarta", "weight": {"kg": 6}, "tags": ["a", "b"]}', random)
      const json = JSON.parse(String(near))
      expect(Object.keys(json)).toEqual(['city', 'weight', 'tags'])
      expect(json.weight.kg).toBeTypeOf('number')
      const changed = [json.city !== 'Jakarta', json.weight.kg !== 6, String(json.tags) !== 'a,b']
      expect(changed.filter(Boolean).length).toBeLessThan(2)
      seen.add(`${changed}`).add(json.tags.length)
    }
    expect(seen.size).toBeGreaterThanOrEqual(6)
  })

  it.each(['{"share": 1.0}', '{"id": 12345678901234567}', '[]', '{"a": null}'])(
    '%s stays as it is, as a number in another form is another one',
    (cell) => {
      expect(perturbScalar(cell, randomFrom('near'))).toBe(cell)
    },
  )

  it('of an enum is any value of its type', () => {
    const { near, fresh } = valueGenerators("ENUM('new', 'it''s paid')")
    const random = randomFrom('near')
    const seen = Array.from({ length: 40 }, () => near('new', random))
    expect(new Set(seen)).toEqual(new Set(['new', "it's paid"]))
    expect(fresh(['new'])).toBeUndefined()
  })

  it('keeps the zeros in front of a code', () => {
    const random = randomFrom('near')
    for (let at = 0; at < 60; at++) expect(perturbScalar('00120', random)).toMatch(/^\d{5}$/u)
  })
})

describe('new key values', () => {
  it.each<[string, Cell[], Cell[]]>([
    ['codes with zeros in front', ['010', '055', '101'], ['102', '103']],
    ['codes that end in a number', ['D0007', 'D0014'], ['D0015', 'D0016']],
    ['days', ['2025-12-30', '2025-12-31', '9999-12-31'], ['2026-01-01', '2026-01-02']],
    ['months', ['2025-10', '2025-11'], ['2025-12', '2026-01']],
    ['days as numbers', [20251230, 20251231], [20260101, 20260102]],
    ['months as big numbers', [202511n, 202510n], [202512n, 202601n]],
    ['other texts', ['red', 'blue'], ['blue~1', 'red~2']],
    ['codes of some letters', ['AA', 'CA'], ['BA', 'DA']],
    ['other numbers', [7, 202511], [202512, 202513]],
  ])('%s', (_name, cells, expected) => {
    const make = freshScalars(cells)
    expect([make?.(1), make?.(2)]).toEqual(expected)
  })
})
