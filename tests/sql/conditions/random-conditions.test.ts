import { beforeAll, describe, expect, it } from 'vitest'
import { type Database, Sqlite } from '../../../src/platform/sqlite.js'
import { canonicalForm } from '../../../src/sql/canonical-form.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema, type Schema } from '../../../src/sql/tables/load-schema.js'

const ddl = 'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c TEXT, d INTEGER NOT NULL)'

let parser: SqlParser
let schema: Schema
let database: Database
beforeAll(async () => {
  parser = await loadSqlParser()
  schema = parseSchema(parser, ddl, 'sqlite')
  database = new Sqlite(':memory:')
  database.exec(ddl)
  const insert = database.prepare('INSERT INTO t (a, b, c, d) VALUES (?, ?, ?, ?)')
  for (const a of [null, 0, 1, 2, 3])
    for (const b of [null, 1, 2])
      for (const c of [null, 'x', 'y']) for (const d of [1, 2]) insert.run(a, b, c, d)
})

/** Small deterministic random numbers (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

function conditionFrom(random: (below: number) => number, depth: number): string {
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T
  const inner = (): string => conditionFrom(random, depth - 1)
  const column = (): string => pick(['a', 'b', 'd', 'a'])
  if (depth === 0 || random(5) === 0) {
    return pick([
      () => `${column()} ${pick(['=', '<>', '<', '<=', '>', '>='])} ${random(4)}`,
      () => `${column()} BETWEEN ${random(2)} AND ${random(4)}`,
      () => `${column()} IN (${random(3)}, ${random(4)})`,
      () => `${column()} NOT IN (${random(3)}, ${pick(['1', 'NULL'])})`,
      () => `${pick(['a', 'b', 'c'])} IS ${pick(['', 'NOT '])}NULL`,
      () => `c = '${pick(['x', 'y', 'z'])}'`,
      () => pick(['TRUE', 'FALSE', 'NULL', 'a = b', 'a < b', 'd = NULL', 'nullif(a, 1) IS NULL']),
    ])()
  }
  return pick([
    () => `(${inner()} AND ${inner()})`,
    () => `(${inner()} OR ${inner()})`,
    () => `(${inner()} AND ${inner()}) OR (${inner()} AND ${inner()})`,
    () => `(${inner()} OR ${inner()}) AND (${inner()} OR ${inner()})`,
    () => `NOT (${inner()})`,
    () =>
      `CASE WHEN ${inner()} THEN ${random(3)} WHEN ${inner()} THEN ${random(3)} ELSE ${random(3)} END = 1`,
    () => `CASE WHEN ${inner()} THEN ${inner()} ELSE ${inner()} END`,
    () => `CASE WHEN ${inner()} THEN TRUE ELSE FALSE END`,
    () => `coalesce(${inner()}, FALSE)`,
    () => `(${inner()}) IS TRUE`,
    () => `(${inner()}) = FALSE`,
  ])()
}

const count = 300

describe('conditions with one canonical form', () => {
  it.each([
    ['choose the same rows', (condition: string) => `SELECT id FROM t WHERE ${condition}`],
    ['have the same value', (condition: string) => `SELECT id, (${condition}) FROM t`],
    [
      'choose the same groups',
      (condition: string) => `SELECT a, count(*) FROM t GROUP BY a, b, c, d HAVING ${condition}`,
    ],
    [
      'join the same rows',
      (condition: string) =>
        `SELECT t.id, u.id FROM t LEFT JOIN (SELECT id FROM t WHERE id < 4) u ON ${condition}`,
    ],
  ])('%s', (_, queryOf) => {
    const random = randomFrom(7)
    const groups = new Map<string, { readonly sql: string; readonly rows: string }>()
    let merged = 0
    for (let at = 0; at < count; at++) {
      const sql = queryOf(conditionFrom(random, 1 + random(3)))
      const form = canonicalForm(parser, sql, 'sqlite', schema)
      const rows = JSON.stringify(database.prepare(sql).raw(true).all().sort())
      const other = groups.get(form ?? sql)
      if (other === undefined) groups.set(form ?? sql, { sql, rows })
      else if (other.sql !== sql) {
        merged++
        expect({ sql, rows }, `the form of ${other.sql}: ${form}`).toEqual({ sql, rows: other.rows })
      }
    }
    expect(merged).toBeGreaterThan(count / 20)
  })
})
