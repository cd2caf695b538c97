import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CopySpec } from '../../../src/engine/contract/copy-spec.js'
import type { CheckConstraintProbe } from '../../../src/engine/fuzz/check-constraints.js'
import { fuzz as fuzzChecked } from '../../../src/engine/fuzz/fuzz.js'
import { type Cell, type FuzzColumn, type FuzzTable, tupleKey } from '../../../src/engine/fuzz/fuzz-table.js'
import { freshScalars, perturbScalar } from '../../../src/engine/fuzz/perturb-values.js'

function column(name: string, nullable: boolean): FuzzColumn {
  return { name, nullable, near: perturbScalar, fresh: freshScalars }
}

/** Authors; books of one author or none, with a title once an author and a price not above its list price. */
function shelves(authors: readonly Cell[][], books: readonly Cell[][]): FuzzTable[] {
  return [
    {
      name: 'books',
      columns: [
        column('id', false),
        column('author', true),
        column('title', false),
        column('price', true),
        column('list', false),
        column('sequel_of', true),
      ],
      keys: [[0], [1, 2]],
      references: [
        { columns: [1], table: 'authors', targets: [0] },
        { columns: [5], table: 'books', targets: [0] },
      ],
      checks: [{ columns: [3, 4], texts: [] }],
      rows: books,
    },
    {
      name: 'authors',
      columns: [column('id', false), column('name', false), column('born', true)],
      keys: [[0]],
      references: [],
      checks: [],
      rows: authors,
    },
  ]
}

const authorRows = fc.uniqueArray(
  fc.tuple(fc.bigInt(1n, 50n), fc.string({ maxLength: 4 }), fc.option(fc.integer())),
  {
    selector: ([id]) => id,
    maxLength: 30,
  },
)
const bookRows = fc.uniqueArray(
  fc.tuple(
    fc.bigInt(1n, 80n),
    fc.option(fc.bigInt(1n, 60n)),
    fc.constantFrom('a', 'b', 'c', ''),
    fc.option(fc.integer({ min: 0, max: 9 })),
    fc.integer({ min: 9, max: 20 }),
    fc.option(fc.bigInt(1n, 80n)),
  ),
  { selector: ([id]) => id, maxLength: 40 },
)
const databases = fc.tuple(authorRows, bookRows).map(([authors, books]) => shelves(authors, books))
const specs = fc.record({ seed: fc.nat(1000), index: fc.integer({ min: 1, max: 7 }) })

const isBelow: CheckConstraintProbe = ({ name }, rows) =>
  rows.map((row) => name !== 'books' || row[3] == null || Number(row[3]) <= Number(row[4]))

function fuzz(tables: readonly FuzzTable[], spec: CopySpec): Promise<FuzzTable[]> {
  return fuzzChecked(tables, spec, isBelow)
}

function rowsOf(tables: readonly FuzzTable[], name: string): readonly (readonly Cell[])[] {
  return tables.find((table) => table.name === name)?.rows ?? []
}

describe('a fuzzed copy', () => {
  it('keeps every key, reference, NOT NULL and CHECK, whatever the database', async () => {
    await fc.assert(
      fc.asyncProperty(databases, specs, async (database, spec) => {
        const copy = await fuzz(database, spec)
        for (const table of copy) {
          for (const key of table.keys) {
            const values = table.rows.map((row) => tupleKey(row, key)).filter((text) => text !== undefined)
            expect(new Set(values).size).toBe(values.length)
          }
          for (const { columns, table: parent, targets } of table.references) {
            const known = new Set(rowsOf(copy, parent).map((row) => tupleKey(row, targets)))
            for (const row of table.rows) {
              const text = tupleKey(row, columns)
              if (text !== undefined) expect(known.has(text)).toBe(true)
            }
          }
          for (const row of table.rows) {
            for (const [at, { nullable }] of table.columns.entries())
              if (!nullable) expect(row[at] ?? null).not.toBeNull()
          }
        }
        for (const row of rowsOf(copy, 'books'))
          expect(row[3] == null || Number(row[3]) <= Number(row[4])).toBe(true)
      }),
    )
  })

  it('is the same for the same seed and index, and leaves the original as it was', async () => {
    await fc.assert(
      fc.asyncProperty(databases, specs, async (database, spec) => {
        const before = structuredClone(database.map((table) => table.rows))
        const again = await fuzz(database, spec)
        expect((await fuzz(database, spec)).map((table) => table.rows)).toEqual(
          again.map((table) => table.rows),
        )
        expect(database.map((table) => table.rows)).toEqual(before)
      }),
    )
  })
})

/** Twelve people with distinct names and ages in a table without constraints. */
const people: FuzzTable = {
  name: 'people',
  columns: [column('id', false), column('name', true), column('age', true)],
  keys: [[0]],
  references: [],
  checks: [],
  rows: Array.from({ length: 12 }, (_, at) => [BigInt(at + 1), `person ${at}`, 20 + at]),
}

const copyOf = async (index: number, table = people) =>
  (await fuzz([table], { seed: 1, index }))[0]?.rows ?? []
const repeated = (rows: readonly (readonly Cell[])[], at: number) =>
  rows.length - new Set(rows.map((row) => row[at])).size

describe('what a copy tests', () => {
  it('first: fewer rows, whose values are the old ones in another place', async () => {
    const rows = await copyOf(1)
    expect(rows.length).toBeLessThan(people.rows.length)
    const known = new Set(people.rows.flat())
    expect(rows.flat().every((cell) => known.has(cell))).toBe(true)
    expect(rows.some((row) => !people.rows.some((other) => other.join() === row.join()))).toBe(true)
  })

  it('second: rows that are equal except for their key', async () => {
    const rows = await copyOf(2)
    expect(repeated(rows, 1)).toBeGreaterThan(5)
    expect(repeated(rows, 0)).toBe(0)
  })

  it('second: whole rows twice where there is no key', async () => {
    const rows = (await copyOf(2, { ...people, keys: [] })).map((row) => row.join())
    expect(new Set(rows).size).toBeLessThan(rows.length)
  })

  it('third: NULLs where they are allowed, and there only', async () => {
    const rows = await copyOf(3)
    expect(rows.some((row) => row[1] === null)).toBe(true)
    const strict = { ...people, columns: people.columns.map((one) => ({ ...one, nullable: false })) }
    expect((await copyOf(3, strict)).flat()).not.toContain(null)
  })

  it('fourth: values next to those there were', async () => {
    const ages = (await copyOf(4)).map((row) => Number(row[2]))
    expect(ages.some((age) => age === 19 || age === 32 || age === 30 || age === 0)).toBe(true)
  })

  it('keeps some parents without children, and some with', async () => {
    const authors = Array.from({ length: 20 }, (_, at) => [BigInt(at), `author ${at}`, null])
    const books = Array.from({ length: 60 }, (_, at) => [
      BigInt(at),
      BigInt(at % 20),
      `title ${at}`,
      1,
      9,
      null,
    ])
    const copy = await fuzz(shelves(authors, books), { seed: 1, index: 5 })
    const named = new Set(rowsOf(copy, 'books').map((row) => row[1]))
    const childless = rowsOf(copy, 'authors').filter((row) => !named.has(row[0] ?? null))
    expect(childless.length).toBeGreaterThan(0)
    expect(named.size).toBeGreaterThan(5)
  })
})
