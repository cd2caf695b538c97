import { DuckDBInstance } from '@duckdb/node-api'
import { Sqlite } from '../../src/platform/sqlite.js'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser } from '../../src/sql/parser.js'
import { parseSchema } from '../../src/sql/tables/load-schema.js'

const duckdbScript = `CREATE TABLE t (a INTEGER, s VARCHAR, l INTEGER[], d DATE);
  INSERT INTO t VALUES (1, 'due', [3, 4], '2025-01-02'), (1, 'overdue', [5], '2025-01-09'), (2, 'paid', [], NULL),
    (NULL, NULL, NULL, '2024-12-31'), (2, 'Due', [NULL, 7], '2025-01-02');`
const sqliteScript = `CREATE TABLE t (a INTEGER NOT NULL, b INTEGER, j TEXT);
  INSERT INTO t VALUES (1, 5, '{"x": 1, "y": {"z": "k"}}'), (2, NULL, '{"x": "1", "y": {"z": 2.50}}'), (3, 7, '{"x": [1, 2]}'),
    (3, 5, '{"x": true}'), (4, NULL, NULL), (5, NULL, '{"x": null}');`

const parser = await loadSqlParser()
const runs = new Map<string, (sql: string) => Promise<readonly string[]>>()
const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
await duckdb.run(duckdbScript)
runs.set('duckdb', async (sql) =>
  (await duckdb.runAndReadAll(sql)).getRowsJson().map((row) => JSON.stringify(row)),
)
const sqlite = new Sqlite(':memory:')
sqlite.exec(sqliteScript)
runs.set('sqlite', async (sql) =>
  sqlite
    .prepare(sql)
    .raw(true)
    .all()
    .map((row) => JSON.stringify(row)),
)

/** What comparing the two queries finds either way round, and their rows. */
export async function compared(dialect: 'duckdb' | 'sqlite', one: string, other: string) {
  const script = dialect === 'duckdb' ? duckdbScript : sqliteScript
  const schema = parseSchema(parser, script.slice(0, script.indexOf(';') + 1), dialect)
  const run = runs.get(dialect)
  const [left, right] = await Promise.all([run?.(one), run?.(other)])
  const ordered = /ORDER BY (?:ALL|[\d, ]+)(?: DESC)?$/u.test(one)
  const bag = (rows: readonly string[] = []): readonly string[] => (ordered ? rows : [...rows].sort())
  return {
    kinds: [
      compareQueries(parser, one, other, dialect, { schema }).kind,
      compareQueries(parser, other, one, dialect, { schema }).kind,
    ],
    left: bag(left),
    right: bag(right),
  }
}
