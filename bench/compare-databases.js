import { fileURLToPath } from 'node:url'
import { Sqlite as Database } from '../build/modules/platform/sqlite.js'
import { corpora } from './compare-data.js'

/** Small deterministic random numbers (mulberry32), so that a failure can be repeated. */
export function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * Copies of a SQLite database in memory: the original, some with shuffled and repeated values and fewer rows, and
 * some with NULLs besides. Primary keys, NOT NULL and foreign keys are kept, as rules may rely on keys.
 */
export function copiesOf(name, fuzzed, injected) {
  const path = fileURLToPath(new URL(`databases/${name}.sqlite`, corpora))
  const source = new Database(path, { readonly: true })
  const bytes = source.serialize()
  source.close()
  const copies = [new Database(bytes)]
  for (let at = 0; at < fuzzed + injected; at++) {
    const copy = new Database(bytes)
    copy.pragma('foreign_keys = OFF')
    fuzz(copy, randomFrom(1000 + at), at >= fuzzed)
    copies.push(copy)
  }
  return copies
}

function fuzz(database, random, withNulls) {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all()
  for (const table of tables) {
    const columns = database.pragma(`table_info("${table}")`)
    const foreign = new Map(
      database.pragma(`foreign_key_list("${table}")`).map((key) => [key.from.toLowerCase(), key]),
    )
    const unique = new Set(
      database
        .pragma(`index_list("${table}")`)
        .filter((index) => index.unique)
        .flatMap((index) => database.pragma(`index_info("${index.name}")`).map((column) => column.name)),
    )
    for (const { name, pk, notnull } of columns) {
      if (pk > 0 || unique.has(name)) continue
      const key = foreign.get(name.toLowerCase())
      const own = database.prepare(`SELECT "${name}" FROM "${table}"`).pluck().all()
      const pool = key === undefined ? own : parents(database, key)
      if (pool.length === 0) continue
      const rowids = database.prepare(`SELECT rowid FROM "${table}"`).pluck().all()
      const update = database.prepare(`UPDATE "${table}" SET "${name}" = ? WHERE rowid = ?`)
      const few = 1 + Math.floor(random() * Math.min(pool.length, 6))
      for (const rowid of rowids) {
        const isNull = withNulls && notnull === 0 && random() < 0.25
        update.run(isNull ? null : pool[Math.floor(random() * (random() < 0.6 ? few : pool.length))], rowid)
      }
    }
    if (random() < 0.5) removeSome(database, table, tables, random)
  }
}

function parents(database, key) {
  const column = key.to ?? database.pragma(`table_info("${key.table}")`).find(({ pk }) => pk === 1)?.name
  return database
    .prepare(`SELECT "${column}" FROM "${key.table}" WHERE "${column}" IS NOT NULL`)
    .pluck()
    .all()
}

/** Rows that nothing references may go. */
function removeSome(database, table, tables, random) {
  const isReferenced = tables.some((other) =>
    database
      .pragma(`foreign_key_list("${other}")`)
      .some((key) => key.table.toLowerCase() === table.toLowerCase()),
  )
  if (isReferenced) return
  const remove = database.prepare(`DELETE FROM "${table}" WHERE rowid = ?`)
  for (const rowid of database.prepare(`SELECT rowid FROM "${table}"`).pluck().all())
    if (random() < 0.3) remove.run(rowid)
}

/** The rows of a query as a multiset of sorted cells, as columns may come in any order; undefined where it fails. */
export function rowsOf(database, sql) {
  try {
    const statement = database.prepare(sql).raw(true)
    const bag = statement.all().map((row) => row.map(cell).sort().join('\u0001'))
    return bag.sort().join('\n')
  } catch (error) {
    if (error.name !== 'SqliteError' && !(error instanceof TypeError)) throw error
    return undefined
  }
}

function cell(value) {
  if (typeof value === 'number') return `n${Number(value.toPrecision(12))}`
  return value === null ? 'null' : `s${value}`
}
