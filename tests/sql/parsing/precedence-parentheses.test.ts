import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../../../src/enums/dialect.js'
import { compareQueries } from '../../../src/sql/compare.js'
import { type Engine, type QuerySetting, querySetting, type Run, rowsOf } from '../in-memory-databases.js'

const ddl = 'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER, s VARCHAR, d INTEGER);'

/** Rows with every combination of values that tell most groupings apart. */
function rows(): string {
  const values = [null, 0, 1, 2, -3, 5]
  const tuples = values.flatMap((a) => values.flatMap((b) => values.map((c) => [a, b, c])))
  const lines = tuples.map((tuple, at) => `(${[at, ...tuple].map(String).join(', ')}, '${at % 7}', 1)`)
  return `INSERT INTO t VALUES ${lines.join(', ')};`
}

/** Operators between two operands, after one, and before one. */
interface Operators {
  readonly infix: readonly string[]
  readonly postfix: readonly string[]
  readonly prefix: readonly string[]
}

const shared: Operators = {
  infix: [
    ...['+', '-', '*', '/', '%', '||', '&', '|', '<<', '>>', '=', '<>', '<', '>=', 'AND', 'OR', 'LIKE'],
    ...['GLOB', 'NOT LIKE', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM', 'BETWEEN 0 AND'],
  ],
  postfix: ['IN (0, 1)', 'NOT IN (0, 1)', 'IS NULL', 'IS NOT NULL', 'BETWEEN 0 AND 1'],
  prefix: ['-', '~', 'NOT'],
}

const operators: Readonly<Record<Engine, Operators>> = {
  sqlite: { ...shared, infix: [...shared.infix, 'IS', 'IS NOT', '=='] },
  duckdb: { ...shared, infix: [...shared.infix, '^', '**', '//', '~', 'ILIKE', 'SIMILAR TO'] },
}

/** A text without brackets, and with them in both ways. */
type Readings = readonly [flat: string, left: string, right: string]

/** Arrows, whose right operand is a text: before a column they make a lambda. */
const arrows = ["-> '0'", "->> '0'"]

function readings({ infix, postfix, prefix }: Operators): readonly Readings[] {
  // Beside `~` and arrows, which want whole numbers and texts, no query with a power runs.
  const unlessPower = infix.filter((one) => one !== '^' && one !== '**')
  return [
    // DuckDB takes all that AND has on its left for an operand of an arrow after it; no such query runs.
    ...unlessPower
      .filter((one) => one !== 'AND' && one !== 'OR')
      .flatMap((one) =>
        arrows.map((two): Readings => [`a ${one} b ${two}`, `(a ${one} b) ${two}`, `a ${one} (b ${two})`]),
      ),
    ...[...unlessPower.map((two) => `${two} b`), ...postfix].map(
      (two): Readings => [`a ->> '0' ${two}`, `(a ->> '0') ${two}`, `a ->> ('0' ${two})`],
    ),
    ...infix.flatMap((one) => [
      ...infix.map(
        (two): Readings => [`a ${one} b ${two} c`, `(a ${one} b) ${two} c`, `a ${one} (b ${two} c)`],
      ),
      ...postfix.map((two): Readings => [`a ${one} b ${two}`, `(a ${one} b) ${two}`, `a ${one} (b ${two})`]),
    ]),
    ...prefix.flatMap((one) =>
      [...unlessPower.map((two) => `${two} b`), ...postfix].map(
        (two): Readings => [`${one} a ${two}`, `(${one} a) ${two}`, `${one} (a ${two})`],
      ),
    ),
  ]
}

const query = (expression: string): string => `SELECT id, ${expression} AS x FROM t`

/** What the engine's own parser makes of the query; undefined where it refuses it. */
async function understood(engine: Engine, run: Run, expression: string): Promise<string | undefined> {
  const sql = query(expression)
  try {
    if (engine === 'sqlite') return JSON.stringify(await run(`EXPLAIN ${sql}`))
    const [[text] = []] = await run(`SELECT json_serialize_sql('${sql.replaceAll("'", "''")}')`)
    const tree = String(text).replaceAll(/"query_location":\d+/gu, '')
    return tree.includes('"error":true') ? undefined : tree
  } catch {
    return undefined
  }
}

let setting: QuerySetting
beforeAll(async () => {
  setting = await querySetting(ddl, [rows()])
})

const kindOf = (dialect: Dialect, one: string, other: string): string =>
  compareQueries(setting.parser, query(one), query(other), dialect, { schema: setting.schema }).kind

describe('operators without brackets', () => {
  it.each(Object.keys(operators) as Engine[])(
    'group as %s does, two by two',
    async (engine) => {
      const runs = setting.runs.get(engine) ?? []
      const [run] = runs
      if (run === undefined) throw new Error(`No database of ${engine}`)
      const wrong: string[] = []
      let told = 0
      // Each third pair; all of them with AUTOTEST_THOROUGH=1, which the full checks set.
      const isThorough = process.env['AUTOTEST_THOROUGH'] === '1'
      const tried = [...readings(operators[engine])].filter((_, at) => isThorough || at % 3 === 0)
      for (const [flat, ...bracketed] of tried) {
        const wanted = await understood(engine, run, flat)
        const [left, right] = await Promise.all(bracketed.map((one) => understood(engine, run, one)))
        if (wanted === undefined || (left === wanted) === (right === wanted)) continue
        told++
        const [same, other] = left === wanted ? bracketed : [...bracketed].reverse()
        if (same === undefined || other === undefined) throw new Error('There are two ways to write brackets')
        const kind = kindOf(engine, flat, same)
        if (kind !== 'equal' && kind !== 'unparsable') wrong.push(`${flat} is ${same}`)
        const given = await rowsOf(runs, query(flat))
        const differs = given !== undefined && given !== (await rowsOf(runs, query(other)))
        if (differs && kindOf(engine, flat, other) === 'equal') wrong.push(`${flat} is not ${other}`)
      }
      expect(wrong).toEqual([])
      expect(told).toBeGreaterThan(isThorough ? 500 : 150)
    },
    60_000,
  )

  it.each<[Dialect, string, string, string]>([
    ['postgres', 's || a + 1', 's || (a + 1)', '(s || a) + 1'],
    ['postgres', '~a + b', '~(a + b)', '(~a) + b'],
    ['postgres', 'a = b IN (1, 2)', 'a = (b IN (1, 2))', '(a = b) IN (1, 2)'],
    ['postgres', 'a IS DISTINCT FROM b = c', 'a IS DISTINCT FROM (b = c)', '(a IS DISTINCT FROM b) = c'],
    ['postgres', "s || s ->> 'k'", "(s || s) ->> 'k'", "s || (s ->> 'k')"],
    ['redshift', 's || a + 1', 's || (a + 1)', '(s || a) + 1'],
    ['mysql', 'a ^ b * c', '(a ^ b) * c', 'a ^ (b * c)'],
    ['mysql', 'a | b & c', 'a | (b & c)', '(a | b) & c'],
    ['mysql', 'a & b << c', 'a & (b << c)', '(a & b) << c'],
    ['mysql', 'a = b LIKE c', 'a = (b LIKE c)', '(a = b) LIKE c'],
    ['mysql', 'a || b + c', 'a OR (b + c)', '(a OR b) + c'],
    ['mysql', 'a = 1 && b = 2', 'a = 1 AND b = 2', '(a = (1 AND b)) = 2'],
    ['mysql', 'NOT a && b', '(NOT a) AND b', 'NOT (a AND b)'],
    ['bigquery', 's || a + 1', '(s || a) + 1', 's || (a + 1)'],
    ['bigquery', 'a + b || s', 'a + (b || s)', '(a + b) || s'],
    ['trino', 's || a + 1', 's || (a + 1)', '(s || a) + 1'],
    ['presto', 's || a + 1', 's || (a + 1)', '(s || a) + 1'],
    ['spark', 's || a + 1', '(s || a) + 1', 's || (a + 1)'],
    ['spark', 'a = b IN (true)', '(a = b) IN (true)', 'a = (b IN (true))'],
    ['spark', 'a LIKE b = c', 'a LIKE (b = c)', '(a LIKE b) = c'],
  ])('%s: %s is %s', (dialect, flat, same, other) => {
    expect(kindOf(dialect, flat, same)).toBe('equal')
    expect(kindOf(dialect, flat, other)).toBe('different')
  })

  it('leave a call with the operands it has', () => {
    expect(kindOf('sqlite', "mod(a, b) || '%'", "(a % b) || '%'")).toBe('equal')
    expect(kindOf('sqlite', "a % b || '%'", "(a % b) || '%'")).toBe('different')
    expect(kindOf('postgres', 'pow(a + b, 2) * c', '((a + b) ^ 2) * c')).toBe('equal')
    expect(kindOf('sqlite', "json_extract(s || s, '$.k')", "(s || s) -> '$.k'")).not.toBe('equal')
  })

  it('keep the comments and the brackets between them', () => {
    expect(kindOf('sqlite', "'Q' || /* of the year */ (a + 2) / 3", "('Q' || (a + 2)) / 3")).toBe('equal')
    expect(kindOf('sqlite', "'Q' || ((a + 2) / 3)", "'Q' || (a + 2) / 3")).toBe('different')
  })

  it('are refused rather than misread', () => {
    expect(kindOf('sqlite', 'CASE WHEN a = NOT b THEN 1 END', 'CASE WHEN a = NOT c THEN 1 END')).toBe(
      'unparsable',
    )
    const bare = (name: string): string => `SELECT a = NOT ${name} FROM t`
    expect(compareQueries(setting.parser, bare('b'), bare('c'), 'sqlite').kind).toBe('unparsable')
  })
})
