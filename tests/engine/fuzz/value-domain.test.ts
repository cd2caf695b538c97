import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../src/engine/fuzz/fuzz.js'
import type { Cell } from '../../../src/engine/fuzz/fuzz-table.js'
import { freshScalars, perturbScalar } from '../../../src/engine/fuzz/perturb-values.js'
import { fitsHabit, inferHabit } from '../../../src/engine/fuzz/value-domain.js'

const mondays = ['2025-01-06', '2025-01-13', '2025-01-20', '2025-01-27', '2025-02-03', '2025-02-10']

describe('the value domain of a column', () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['no and yes as numbers', ['0', '1', '1'], ['0', '1'], ['2', '-1']],
    ['no and yes as letters', ['N', 'Y'], ['Y'], ['y', '', 'Ys']],
    ['two words that are no and yes to nobody', ['paid', 'open'], ['paids', 'void'], []],
    ['one value, which may be a number', ['1', '1'], ['2', '0'], ['-1']],
    ['amounts', ['0', '12.50'], ['0', '99'], ['-1']],
    ['amounts that may be owed', ['-3', '12'], ['-1'], []],
    [
      'firsts of months',
      ['2025-01-01', '2025-02-01', '2024-07-01'],
      ['2026-01-01'],
      ['2026-01-02', '2025-01-31'],
    ],
    ['ends of months', ['2025-01-31', '2025-02-28', '2024-04-30'], ['2024-02-29'], ['2024-02-28']],
    [
      'first moments of months',
      ['2025-01-01 00:00:00', '2025-02-01 00:00:00', '2025-05-01 00:00:00'],
      ['2025-03-01 00:00:00'],
      ['2025-03-01 00:00:01'],
    ],
    ['Mondays', mondays, ['2025-03-03'], ['2025-03-04']],
    ['too few Mondays', mondays.slice(1), ['2025-03-04'], []],
    ['too few months', ['2025-01-01', '2025-02-01'], ['2025-03-04'], []],
    [
      'midnights',
      ['2025-01-01 00:00:00', '2025-01-02 00:00:00', '2025-01-09 00:00:00.0'],
      ['2025-03-04 00:00:00'],
      ['2025-03-04 00:00:01'],
    ],
    [
      'moments',
      ['2025-01-01 00:00:00', '2025-01-02 00:00:00', '2025-01-09 10:00:00'],
      ['2025-03-04 00:00:01'],
      [],
    ],
    ['nothing', [], ['-1', 'x'], []],
  ])('by %s', (_name, held, could, couldNot) => {
    const habit = fitsHabit(inferHabit(held))
    expect(held.filter((text) => !habit(text))).toEqual([])
    expect(could.filter((text) => !habit(text))).toEqual([])
    expect(couldNot.filter(habit)).toEqual([])
  })

  it('contains all values of copies, also in keys', async () => {
    const months = Array.from({ length: 12 }, (_, at) => `2025-${String(at + 1).padStart(2, '0')}-01`)
    const rows = Array.from({ length: 48 }, (_, at): Cell[] => [
      BigInt(at % 4),
      months[at % 12] ?? null,
      BigInt(at % 2),
    ])
    const column = (name: string) => ({ name, nullable: false, near: perturbScalar, fresh: freshScalars })
    const table = {
      name: 'bills',
      columns: [column('customer'), column('month'), column('paid')],
      keys: [[0, 1]],
      references: [],
      checks: [],
      rows: rows.filter((row, at) => rows.findIndex(([a, b]) => a === row[0] && b === row[1]) === at),
    }
    for (let index = 1; index <= 5; index++) {
      const [copy] = await fuzz([table], { seed: 1, index }, (_, all) => all.map(() => true))
      expect(new Set(copy?.rows.map(([, month]) => String(month).slice(7)))).toEqual(new Set(['-01']))
      expect(new Set(copy?.rows.map(([, , paid]) => paid))).toEqual(new Set([0n, 1n]))
    }
  })
})
