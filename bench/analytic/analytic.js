import { readFileSync } from 'node:fs'
import { canonicalForm, compareQueryPair, parseSchema } from '../../build/modules/sql/index.js'
import { mutantsOf } from '../compare-mutants.js'
import { databasesOf } from './databases.js'

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Changes of a token that the queries of the corpora have no use for. */
const swaps = [
  [/\bcustomer_id\b/gu, 'id'],
  [/\bqty\b/gu, 'id'],
  [/\bamount\b/gu, 'discount'],
  [/\bchannel\b/gu, 'status'],
  [/\bstatus\b/gu, 'channel'],
  [/\bcountry\b/gu, 'segment'],
  [/\border_id\b/gu, 'product_id'],
  [/\bsalary\b/gu, 'bonus'],
  [/\bdept_id\b/gu, 'manager_id'],
  [/\bended\b/gu, 'started'],
  [/\bPARTITION BY\b/gu, 'ORDER BY'],
  [/ ELSE 0/gu, ' ELSE 1', ''],
]

/**
 * Equivalent pairs of analytic queries, and whether queries made of them by changing a token give the same rows wherever
 * they have one form.
 * @param deep whether some of what was changed is changed once more
 */
export async function measureAnalytic(parser, deep = true) {
  const pairs = read('pairs.jsonl').trim().split('\n').map(JSON.parse)
  const result = { pairs: pairs.length, equal: 0, equal_if: 0, queries: 0, forms: 0, failures: [] }
  for (const name of new Set(pairs.map(({ schema }) => schema))) {
    const own = pairs.filter((pair) => pair.schema === name)
    const ddl = read(`${name}.sql`)
    const schema = parseSchema(parser, ddl, 'duckdb')
    for (const { a, b } of own) {
      const [one, other] = [a, b].map((sql) => ({ sql, dialect: 'duckdb' }))
      const { kind } = compareQueryPair(parser, one, other, { schema })
      if (kind in result) result[kind]++
    }
    const queries = variantsOf(new Set(own.flatMap(({ a, b }) => [a, b])), deep)
    for (const engine of ['duckdb', 'sqlite']) await prove(parser, { engine, ddl, queries }, result)
  }
  return result
}

function variantsOf(queries, deep) {
  const all = new Set([...queries].flatMap((sql) => [sql, ...changed(sql)]))
  const some = deep ? [...all].filter((_, at) => at % 7 === 0) : []
  for (const sql of some) for (const variant of changed(sql)) all.add(variant)
  return all
}

function changed(sql) {
  const own = swaps.flatMap(([pattern, ...replacements]) =>
    [...sql.matchAll(pattern)].flatMap(({ 0: { length }, index }) =>
      replacements.map((text) => sql.slice(0, index) + text + sql.slice(index + length)),
    ),
  )
  return [...mutantsOf(sql), ...own]
}

async function prove(parser, { engine, ddl, queries }, result) {
  const schema = parseSchema(parser, ddl, engine)
  const groups = new Map()
  for (const sql of queries) {
    const form = canonicalForm(parser, sql, engine, schema)
    if (form !== undefined) groups.set(form, [...(groups.get(form) ?? []), sql])
  }
  result.queries += queries.size
  result.forms += groups.size
  const databases = await databasesOf(engine, ddl)
  const rowsOf = (sql) => Promise.all(databases.map((rows) => rows(sql)))
  for (const [one, ...others] of groups.values()) {
    if (others.length === 0) continue
    const wanted = await rowsOf(one)
    for (const other of others) {
      const rows = await rowsOf(other)
      const isSame = rows.every(
        (text, at) => text === wanted[at] || text === undefined || wanted[at] === undefined,
      )
      if (!isSame) result.failures.push({ engine, one, other })
    }
  }
}
