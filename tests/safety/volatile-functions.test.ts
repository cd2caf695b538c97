import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Engine, QueryLimits } from '../../src/engine/contract/engine.js'
import { mysqlKind } from '../../src/engine/server/mysql.js'
import { postgresKind } from '../../src/engine/server/postgres.js'
import { type MariaDbServer, needsMariaDb, startMariaDb } from '../engine/server/mariadb-server.js'
import { needsPostgres, type PostgresServer, startPostgres } from '../engine/server/postgres-server.js'

// A query calls no function that may do more than to read, whatever its name, its schema and its spelling are: the server says
// what a function may do. Those that only read pass, whatever language they are written in.

const limits: QueryLimits = { timeoutMs: 10_000, rows: 100, bytes: 1_000_000, memoryBytes: 400_000_000 }
const options = { root: '/', concurrency: 2, memoryBytes: 400_000_000 }
const started = { postgres: await startPostgres(), mariaDb: await startMariaDb() }
const postgres = started.postgres as PostgresServer
const mariaDb = started.mariaDb as MariaDbServer
const opened: Engine[] = []

beforeAll(async () => {
  process.env['PGPASSWORD'] = 'reader'
  process.env['MYSQL_PWD'] = 'reader'
})
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
})
afterAll(() => {
  delete process.env['PGPASSWORD']
  delete process.env['MYSQL_PWD']
  started.postgres?.stop()
  started.mariaDb?.stop()
})

describe('PostgreSQL', needsPostgres, () => {
  const notes: string[] = []
  const open = async (allowFunctions: readonly string[] = []): Promise<Engine> => {
    const onNote = (text: string): void => void notes.push(text)
    const engine = await postgresKind.open(postgres.address(), { ...options, allowFunctions, onNote })
    opened.push(engine)
    return engine
  }
  beforeAll(async () => {
    if (started.postgres === undefined) return
    await postgres.run(`CREATE SCHEMA tools; GRANT USAGE ON SCHEMA tools TO reader; CREATE EXTENSION tablefunc;
      CREATE TABLE t (x int); INSERT INTO t VALUES (1); GRANT SELECT ON t TO reader;
      CREATE FUNCTION mark() RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock(1); RETURN 1; END';
      CREATE FUNCTION tools."Mark"() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
      CREATE FUNCTION of_row(t) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
      CREATE FUNCTION reads() RETURNS bigint STABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM t); END';
      CREATE FUNCTION adds(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1 + 1; END'`)
  })

  it.each([
    ['a function of the user', 'SELECT mark()'],
    ['in quotes, behind a comment', `SELECT "mark"/* ( */ ()`],
    ['between aliases that look like texts', `SELECT 1 AS "'", mark() AS "b'"`],
    ['in another schema, with capitals', 'SELECT tools."Mark"()'],
    ['as a column of a row', 'SELECT t.of_row FROM t'],
    ['as a column of a row, in parentheses and quotes', 'SELECT (t) . "of_row" FROM t'],
    ['by its numbers', String.raw`SELECT U&"\006dark"()`],
    ['in FROM', 'SELECT * FROM mark() AS m'],
    ['in a query that a text holds', `SELECT * FROM crosstab('SELECT 1, 2, mark()') AS c(a int, b int)`],
    [
      'in a text that is put together',
      `SELECT * FROM crosstab('SELECT 1, 2, ma' || 'rk()') AS c(a int, b int)`,
    ],
    ['that ends sessions', 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity'],
    ['that writes large objects', "SELECT lo_from_bytea(0, 'x')"],
    ['that runs a text', "SELECT query_to_xml('SELECT 1', true, true, '')"],
    ['that holds a lock', 'SELECT pg_advisory_lock(4)'],
    ['that sets what outlives the query', 'SELECT setseed(0.5)'],
  ])('refuses one %s', async (_what, sql) => {
    const outcome = await (await open()).query(sql, limits)
    expect(outcome).toMatchObject({ kind: 'refused' })
    expect(await postgres.texts('SELECT count(*) FROM pg_largeobject_metadata')).toEqual(['0'])
    expect(await postgres.texts("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).toEqual(['0'])
  })

  it.each([
    'SELECT reads(), adds(1)',
    'SELECT \'mark()\' AS "mark()" -- mark()',
    'SELECT random() < 2, clock_timestamp() > now(), gen_random_uuid() IS NOT NULL',
    "SELECT pg_relation_size('t') >= 0, pg_size_pretty(1::bigint), pg_sleep(0)",
    'SELECT count(*) FROM t TABLESAMPLE SYSTEM (100)',
    'SELECT x IN (1), coalesce(x, 2), extract(year FROM now()), t.x FROM t',
    "SELECT * FROM crosstab('SELECT ''a'', ''b'', 1') AS c(a text, b int)",
  ])('lets pass %s', async (sql) => {
    expect(await (await open()).query(sql, limits)).toMatchObject({ kind: 'rows' })
  })

  it('lets pass what allow_functions lists, with or without a schema, and says which of them is unknown', async () => {
    const engine = await open(['of_row', 'tools.Mark', 'absent'])
    expect(await engine.query('SELECT t.of_row FROM t', limits)).toMatchObject({ kind: 'rows' })
    expect(await engine.query('SELECT tools."Mark"()', limits)).toMatchObject({ kind: 'rows' })
    expect(await engine.query('SELECT mark()', limits)).toMatchObject({ kind: 'refused' })
    expect(notes).toContain('allow_functions lists absent, and there is no volatile function of that name')
  })

  it('leaves a session of the same role alive, whatever the aliases', async () => {
    const engine = await open()
    const other = await open()
    const sleeping = other.query('SELECT 1 FROM pg_sleep(1.5)', limits)
    await expect.poll(() => postgres.sessions('reader')).toBeGreaterThan(0)
    const cheat = `SELECT count(*) AS "'", count(pg_terminate_backend(pid)) AS "b'" FROM pg_stat_activity
      WHERE usename = current_user AND pid <> pg_backend_pid()`
    expect(await engine.query(cheat, limits)).toMatchObject({ kind: 'refused' })
    expect(await sleeping).toMatchObject({ kind: 'rows' })
  })

  it('reads texts as they are judged, whatever the role has set', async () => {
    await postgres.run('ALTER ROLE reader SET standard_conforming_strings = off')
    const outcome = await (await open()).query(String.raw`SELECT '\', ''; SELECT mark(), ''`, limits)
    await postgres.run('ALTER ROLE reader RESET standard_conforming_strings')
    expect(outcome.kind).not.toBe('rows')
  })
})

describe('MariaDB', needsMariaDb, () => {
  const open = async (allowFunctions: readonly string[] = []): Promise<Engine> => {
    const engine = await mysqlKind.open(mariaDb.address(), { ...options, allowFunctions })
    opened.push(engine)
    return engine
  }
  beforeAll(async () => {
    if (started.mariaDb === undefined) return
    await mariaDb.run([
      'USE shop',
      "CREATE FUNCTION mark() RETURNS INT BEGIN DO GET_LOCK('mark', 0); RETURN 1; END",
      'CREATE FUNCTION writes() RETURNS INT DETERMINISTIC MODIFIES SQL DATA RETURN 1',
      'CREATE FUNCTION adds(x INT) RETURNS INT DETERMINISTIC RETURN x + 1',
      'CREATE FUNCTION `reads`() RETURNS INT READS SQL DATA RETURN (SELECT 1)',
      "GRANT EXECUTE ON shop.* TO reader@'127.0.0.1'",
    ])
  })

  it.each([
    'SELECT mark()',
    'SELECT `mark` /* ( */ ()',
    'SELECT márk()',
    'SELECT shop . writes()',
    `SELECT 1 AS "'", mark() AS "b'"`,
    'SELECT /*! mark() */',
    'SELECT mark/*!99999 x */()',
    "SELECT 1 /*!99999 ' */, mark() /* ' */",
    '/*!99999 SELECT 1 */ DO mark()',
    "SELECT '\\'', GET_LOCK('a', 0), '\\''",
    "SELECT GET_LOCK/* */('a', 0)",
  ])('refuses %s', async (sql) => {
    expect(await (await open()).query(sql, limits)).toMatchObject({ kind: 'refused' })
  })

  it.each([
    'SELECT adds(1), `reads`(), count(*), 1 IN (1)',
    "SELECT 'mark()' AS `mark()` -- mark()",
    'SELECT /*!50000 1 */ + 1, rand() < 2, uuid() IS NOT NULL',
  ])('lets pass %s', async (sql) => {
    expect(await (await open()).query(sql, limits)).toMatchObject({
      kind: 'rows',
    })
  })

  it('lets pass what allow_functions lists', async () => {
    const engine = await open(['shop.mark'])
    expect(await engine.query('SELECT mark()', limits)).toMatchObject({ kind: 'rows' })
    expect(await engine.query('SELECT writes()', limits)).toMatchObject({ kind: 'refused' })
  })

  it.each(['ANSI_QUOTES', 'NO_BACKSLASH_ESCAPES'])(
    'judges texts by the mode of the server: %s',
    async (mode) => {
      await mariaDb.run([`SET GLOBAL sql_mode = '${mode}'`])
      const cheat =
        mode === 'ANSI_QUOTES' ? `SELECT 1 AS "'", mark() AS "b'"` : String.raw`SELECT '\', mark(), '\'`
      const outcome = await (await open()).query(cheat, limits)
      await mariaDb.run(['SET GLOBAL sql_mode = DEFAULT'])
      expect(outcome).toMatchObject({ kind: 'refused' })
    },
  )
})
