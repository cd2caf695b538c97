import { describe, expect, it } from 'vitest'
import {
  checkColumnGroups,
  checkLiterals,
  satisfyChecks,
  stringLiteralsIn,
} from '../../../src/engine/fuzz/check-constraints.js'
import type { Cell, FuzzTable } from '../../../src/engine/fuzz/fuzz-table.js'

const check = (...columns: number[]) => ({ columns, texts: [] })
const reference = (...columns: number[]) => ({ columns, table: 'other', targets: columns.map((_, at) => at) })

describe('columns that CHECK constraints relate', () => {
  it.each([
    ['each by itself', [check(0), check(1)], [], [[0], [1]]],
    ['those of one', [check(0, 1)], [], [[0, 1]]],
    ['a chain of them', [check(0, 1), check(2), check(1, 2)], [], [[2, 0, 1]]],
    [
      'those of a reference of which one is checked',
      [check(0)],
      [reference(0, 1), reference(2, 3)],
      [[0, 1]],
    ],
  ])('%s', (_name, checks, references, parts) => {
    const found = checkColumnGroups({ checks, references }).map((part) => [...part].sort())
    expect(found).toEqual(parts.map((part) => [...part].sort()))
  })
})

describe('texts that a CHECK names', () => {
  it('are those in quotes, without patterns', () => {
    expect(
      stringLiteralsIn("status IN ('paid', 'it''s') AND day GLOB '????-??' AND code LIKE 'A%' OR x = ''"),
    ).toEqual(['paid', "it's"])
  })

  it('are those of its own columns', () => {
    const checks = [
      { columns: [0], texts: ['a', 'b'] },
      { columns: [1], texts: ['c'] },
    ]
    expect(checkLiterals(checks, 0)).toEqual(['a', 'b'])
  })
})

describe('rows that the engine refuses', () => {
  const column = (name: string) => ({ name, nullable: true, near: () => undefined, fresh: () => undefined })
  const table = (rows: Cell[][]): FuzzTable => ({
    name: 't',
    columns: ['a', 'b', 'free'].map(column),
    keys: [],
    references: [],
    checks: [check(0), check(1)],
    rows,
  })
  /** CHECK (a > 0), CHECK (b > 0). */
  const accepts = (_table: unknown, rows: readonly (readonly Cell[])[]) =>
    rows.map((row) => Number(row[0]) > 0 && Number(row[1]) > 0)

  it('keep what is allowed of them, and take the next version of the rest', async () => {
    const settled = await satisfyChecks(
      table([[-1, 5, 'new']]),
      [[[7, 6, 'moved']], [[1, 2, 'old']]],
      accepts,
    )
    expect(settled).toEqual([[7, 5, 'new']])
  })

  it('fall back on the original row where no version is allowed', async () => {
    const settled = await satisfyChecks(
      table([[-1, 5, 'new']]),
      [[[-2, 6, 'moved']], [[1, 2, 'old']]],
      accepts,
    )
    expect(settled).toEqual([[1, 5, 'new']])
  })

  it('are replaced by the original row where a constraint refers to none of its columns', async () => {
    const never = (_table: unknown, rows: readonly unknown[]) => rows.map(() => false)
    const settled = await satisfyChecks(table([[3, 4, 'new']]), [[[3, 4, 'moved']], [[1, 2, 'old']]], never)
    expect(settled).toEqual([[1, 2, 'old']])
  })
})
