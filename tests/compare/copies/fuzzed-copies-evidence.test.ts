import { describe, expect, it } from 'vitest'
import type { EngineKind } from '../../../src/engine/contract/engine-kind.js'
import { duckdbKind } from '../../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { sharedDatabase } from '../../engine/temporary-database.js'
import { findingOf } from './pair-on-copies.js'

/** Of the two kinds, one has both the greatest and the least amount; a name each. */
const script = `
  CREATE TABLE kinds (id INTEGER PRIMARY KEY, title VARCHAR NOT NULL);
  CREATE TABLE things (
    id INTEGER PRIMARY KEY, kind_id INTEGER NOT NULL REFERENCES kinds (id), kind VARCHAR NOT NULL, name VARCHAR NOT NULL, amount INTEGER NOT NULL
  );
  INSERT INTO kinds VALUES (1, 'toy'), (2, 'book'), (3, 'food');
  INSERT INTO things VALUES ${Array.from({ length: 60 }, (_, at) => `(${at + 1}, ${(at % 3) + 1}, '${['toy', 'book', 'food'][at % 3]}', 'n${at}', ${at % 3 === 0 ? at * 100 : 1000 + at})`).join(', ')};
`

describe.each<[string, EngineKind]>([
  ['SQLite', sqliteKind],
  ['DuckDB', duckdbKind],
])('copies of a %s database', (_name, kind) => {
  const engine = sharedDatabase(kind, script)

  it.each([
    [
      'a filter lost under max',
      "SELECT max(amount) FROM things WHERE kind = 'toy'",
      'SELECT max(amount) FROM things',
    ],
    [
      'a filter lost under min',
      "SELECT min(amount) FROM things WHERE kind = 'toy'",
      'SELECT min(amount) FROM things',
    ],
    [
      'a filter lost before the first row',
      "SELECT id FROM things WHERE kind = 'toy' ORDER BY amount DESC LIMIT 1",
      'SELECT id FROM things ORDER BY amount DESC LIMIT 1',
    ],
    [
      'one kind too many under max',
      "SELECT max(amount) FROM things WHERE kind = 'toy'",
      "SELECT max(amount) FROM things WHERE kind IN ('toy', 'food')",
    ],
    [
      'a filter on another table lost under max',
      "SELECT max(t.amount) FROM things t JOIN kinds k ON k.id = t.kind_id WHERE k.title = 'toy'",
      'SELECT max(t.amount) FROM things t JOIN kinds k ON k.id = t.kind_id',
    ],
    ['a text in place of a look-up', 'SELECT name FROM things WHERE id = 7', "SELECT 'n6' AS name"],
    ['a number in place of a look-up', 'SELECT amount FROM things WHERE id = 7', 'SELECT 600 AS amount'],
    [
      'another row by another column',
      'SELECT kind FROM things WHERE id = 7',
      "SELECT 'toy' AS kind FROM kinds LIMIT 1",
    ],
  ])('distinguish: %s', async (_name, expected, generated) => {
    for (const seed of [1, 2, 3])
      expect([seed, await findingOf(engine(), expected, generated, { seed })]).toMatchObject([
        seed,
        { kind: 'refuted' },
      ])
  })

  it('prove nothing where the expected rows are the same on each, and on the database', async () => {
    const expected = 'SELECT count(*) > 0 AS some FROM things'
    expect(await findingOf(engine(), expected, 'SELECT 1 = 1 AS some')).toEqual({
      kind: 'weak',
      copies: 5,
      informative: 0,
    })
  })

  it('are enough where the expected query reads no table', async () => {
    expect(await findingOf(engine(), 'SELECT 7 AS n', 'SELECT 3 + 4 AS n')).toMatchObject({ kind: 'match' })
  })
})

describe('lists, structs and maps of DuckDB', () => {
  const nested = `
    CREATE TABLE carts (id INTEGER PRIMARY KEY, items STRUCT(sku VARCHAR, "the count" UTINYINT)[], tags VARCHAR[] NOT NULL, prices MAP(VARCHAR, DECIMAL(6, 2)));
    INSERT INTO carts VALUES
      (1, [{'sku': 'a', 'the count': 0}, {'sku': 'b', 'the count': 2}], ['x', 'y'], MAP {'low': 1.5, 'high': 2}),
      (2, [{'sku': 'a', 'the count': 255}], ['x'], MAP {'low': 3}), (3, [], [], MAP {}), (4, NULL, ['z'], NULL);
  `
  const engine = sharedDatabase(duckdbKind, nested)

  it.each([
    [
      'a member of a struct in a list',
      "SELECT id FROM (SELECT id, unnest(items) AS item FROM carts) WHERE item.sku = 'b'",
      'SELECT id FROM carts WHERE len(items) = 2',
    ],
    [
      'the sum of members',
      `SELECT id, list_sum(list_transform(items, i -> i."the count")) AS n FROM carts WHERE len(items) = 1`,
      'SELECT id, 255 AS n FROM carts WHERE len(items) = 1',
    ],
    [
      'the length of a list',
      'SELECT id FROM carts WHERE len(tags) = 2',
      "SELECT id FROM carts WHERE list_contains(tags, 'y')",
    ],
    [
      'a value in a map',
      "SELECT id FROM carts WHERE prices['low'] > 2",
      "SELECT id FROM carts WHERE prices['high'] IS NULL AND prices['low'] IS NOT NULL",
    ],
  ])('change within: %s', async (_name, expected, generated) => {
    for (const seed of [1, 2, 3])
      expect([seed, await findingOf(engine(), expected, generated, { seed })]).toMatchObject([
        seed,
        { kind: 'refuted' },
      ])
  })
})

describe('a query that fails on a copy', () => {
  const engine = sharedDatabase(duckdbKind, script)

  const joined = "SELECT t.id FROM things t JOIN kinds k ON k.id = t.kind_id WHERE k.title = 'toy'"
  const scalar = "SELECT id FROM things WHERE kind_id = (SELECT id FROM kinds WHERE title = 'toy')"

  it('because a subquery gives several rows is refuted by it, if the expected query runs there', async () => {
    expect(await findingOf(engine(), joined, scalar)).toMatchObject({
      kind: 'fails',
      copy: { seed: 1 },
      message: expect.stringMatching(/more than one row/iu),
    })
  })

  it('proves nothing where it is the expected one', async () => {
    const found = await findingOf(engine(), scalar, joined)
    expect(found?.kind).not.toBe('refuted')
    expect(found?.kind).not.toBe('fails')
  })
})
