import { describe, expect, it } from 'vitest'
import { RequestClock } from '../../../src/engine/child/request-clock.js'
import { type ScratchAccess, scratchTables } from '../../../src/engine/child/scratch-tables.js'

const name = 'autotest_copy_20260101_0123456789abcdef'
const clock = new RequestClock(60_000)

function recorded(access: Partial<ScratchAccess> = {}) {
  const statements: string[] = []
  const tables = scratchTables({
    schema: '"scratch"',
    quote: (each) => `"${each}"`,
    newName: (each) => `"${each}"`,
    run: async (all) => void statements.push(...all),
    names: async () => ['orders', name],
    refusalOf: (sql) => (sql.startsWith('WITH') ? undefined : 'no query'),
    ...access,
  })
  return { tables, statements }
}

const table = { name, columns: [{ name: 'x', type: 'int' }], queries: ['WITH a SELECT 1', 'WITH b SELECT 2'] }

describe('tables of copies in a scratch schema', () => {
  it('appear under their name when they have all rows', async () => {
    const { tables, statements } = recorded()
    await tables.create(table, clock)
    const [created = '', first, second, renamed] = statements
    const unfinished = /"autotest_copy_20260101_unfinished_[0-9a-f]{8}"/.exec(created)?.[0]
    expect(created).toBe(`CREATE TABLE "scratch".${unfinished} ("x" int)`)
    expect([first, second, renamed]).toEqual([
      `INSERT INTO "scratch".${unfinished} WITH a SELECT 1`,
      `INSERT INTO "scratch".${unfinished} WITH b SELECT 2`,
      `ALTER TABLE "scratch".${unfinished} RENAME TO "${name}"`,
    ])
  })

  it('are the only ones that are listed, created or dropped', async () => {
    const { tables, statements } = recorded()
    expect(await tables.tables(clock)).toEqual([name])
    await expect(tables.create({ ...table, name: 'orders' }, clock)).rejects.toThrow(
      /orders is no table of a copy/,
    )
    await expect(tables.drop([name, 'orders'], clock)).rejects.toThrow(/orders is no table of a copy/)
    await expect(tables.create({ ...table, queries: ['DELETE FROM x'] }, clock)).rejects.toThrow(/no query/)
    expect(statements).toEqual([])
    await tables.drop([name], clock)
    expect(statements).toEqual([`DROP TABLE IF EXISTS "scratch"."${name}"`])
  })

  it('that fail leave nothing behind, unless another process has made the same', async () => {
    const dropped: string[] = []
    const run = async ([first = '']: readonly string[]): Promise<void> => {
      if (first.startsWith('CREATE')) throw new Error('disk full')
      dropped.push(first)
    }
    await expect(recorded({ run, names: async () => [] }).tables.create(table, clock)).rejects.toThrow(
      'disk full',
    )
    expect(dropped).toEqual([
      expect.stringMatching(/^DROP TABLE IF EXISTS "scratch"\."autotest_copy_20260101_unfinished_/),
    ])
    await recorded({ run, names: async () => [name] }).tables.create(table, clock)
  })
})
