import { describe, expect, it } from 'vitest'
import { sampledTable } from '../../../../src/compare/copies/sampled/sample-tables.js'
import { createScratchCopies } from '../../../../src/compare/copies/sampled/scratch-copies.js'
import type { ScratchSchema } from '../../../../src/engine/contract/scratch-schema.js'

const now = Date.UTC(2026, 0, 20)
const rows = [
  ['1', 'Porto'],
  ['2', null],
]
const table = sampledTable(
  {
    name: 'shops',
    columns: [
      { name: 'id', type: 'bigint' },
      { name: 'City', type: 'varchar(20)', collation: '"de_DE"' },
      { name: 'size', type: 'bigint', generated: 'id * 2' },
    ],
  },
  { rows, habits: new Map() },
  'postgres',
)

function scratchOf(there: string[] = []) {
  const created: Parameters<ScratchSchema['create']>[0][] = []
  const dropped: string[] = []
  const scratch: ScratchSchema = {
    schema: 'memory.scratch',
    tables: async () => there,
    create: async (each) => void created.push(each),
    drop: async (names) => void dropped.push(...names),
  }
  const copies = () => createScratchCopies(scratch, { dialect: 'postgres', rowKeyword: '' }, () => now)
  return { created, dropped, copies }
}

describe('copies in a scratch schema', () => {
  it('have the types of the table, and no computed column', async () => {
    const { created, copies } = scratchOf()
    const name = await copies().tableOf(table, rows)
    expect(created).toEqual([
      {
        name: expect.stringMatching(/^autotest_copy_20260120_[0-9a-f]{16}$/),
        columns: [
          { name: 'id', type: 'bigint' },
          { name: 'City', type: 'varchar(20) COLLATE "de_DE"' },
        ],
        queries: [
          expect.stringMatching(
            /^WITH autotest_c_rows\(c0, c1\) AS \(VALUES \('1', 'Porto'\), \('2', NULL\)\)/,
          ),
        ],
      },
    ])
    expect(name).toBe(`"memory"."scratch"."${created[0]?.name}"`)
  })

  it('are made once: in a run, and by a later one that finds them', async () => {
    const { created, copies } = scratchOf()
    const first = copies()
    const names = await Promise.all([first.tableOf(table, rows), first.tableOf(table, rows)])
    expect(new Set(names).size).toBe(1)
    expect(created).toHaveLength(1)
    const later = scratchOf([created[0]?.name ?? ''])
    expect(await later.copies().tableOf(table, rows)).toBe(names[0])
    expect(later.created).toEqual([])
    await first.tableOf(table, rows.toReversed())
    expect(created).toHaveLength(2)
  })

  it('are dropped when they are old, and used until some days before', async () => {
    const { created, copies } = scratchOf()
    await copies().tableOf(table, rows)
    const content = /[0-9a-f]{16}$/.exec(created[0]?.name ?? '')?.[0] ?? ''
    const named = (day: string, rest = content): string => `autotest_copy_${day}_${rest}`
    const cases = [
      { there: named('20260114'), used: true, isDropped: false },
      { there: named('20260112'), used: false, isDropped: false },
      { there: named('20260110'), used: false, isDropped: true },
      { there: named('20260119', 'temporary_00ff00ff00ff'), used: false, isDropped: false },
      { there: named('20260115', 'temporary_00ff00ff00ff'), used: false, isDropped: true },
      { there: named('20260115', 'unfinished_00ff00ff'), used: false, isDropped: true },
    ]
    for (const { there, used, isDropped } of cases) {
      const { created: made, dropped, copies: again } = scratchOf([there])
      await again().tableOf(table, rows)
      expect([there, made.length === 0, dropped]).toEqual([there, used, isDropped ? [there] : []])
    }
  })

  it('that are for two queries alone are dropped when these are compared; those of the tables stay', async () => {
    const { created, dropped, copies } = scratchOf()
    const all = copies()
    await all.tableOf(table, rows)
    const own = all.temporary()
    await own.tableOf(table, rows)
    expect(created).toHaveLength(1)
    await own.tableOf(table, rows.slice(1))
    await own.close()
    expect(created).toHaveLength(2)
    expect(dropped).toEqual([created[1]?.name])
    expect(created[1]?.name).toMatch(/^autotest_copy_20260120_temporary_[0-9a-f]{12}$/)
  })
})
