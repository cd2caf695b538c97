import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtModulePath } from '../../src/built-module.js'
import { type Dialect, dialects } from '../../src/dialect.js'
import { dialectIn, loadLibrary, type Polyglot } from '../../src/sql/reading/library.js'

// The build leaves out of the library's WebAssembly what does not read. The rest must read as all of it does.
let whole: Polyglot
let pruned: Polyglot
beforeAll(async () => {
  whole = await loadLibrary('@polyglot-sql/sdk')
  pruned = await loadLibrary(builtModulePath('parser/index.cjs'))
})

const ownPairs = new URL('../../bench/analytic/', import.meta.url)
const corpora = new URL('../../../shared/corpora/', import.meta.url)

/** Every text of a file of JSON lines. */
function texts(file: URL): string[] {
  const rows = readFileSync(file, 'utf8').trim().split('\n')
  return rows.flatMap((row) => Object.values(JSON.parse(row) as Record<string, unknown>).filter(isText))
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.includes(' ')
}

/** What a library answers, whole or with its error. */
function readings(library: Polyglot, sql: string, dialect: Dialect): string {
  const name = dialectIn(library, dialect)
  return JSON.stringify([library.parse(sql, name), library.tokenize(sql, name)])
}

function differing(all: readonly string[], inDialects: readonly Dialect[]): string[] {
  return all.flatMap((sql) =>
    inDialects
      .filter((dialect) => readings(whole, sql, dialect) !== readings(pruned, sql, dialect))
      .map((dialect) => `${dialect}: ${sql}`),
  )
}

describe('the parser that the build leaves', () => {
  it('reads tables, queries, halves of queries and what is none, in every dialect', () => {
    const tables = readdirSync(ownPairs)
      .filter((name) => name.endsWith('.sql'))
      .map((name) => readFileSync(new URL(name, ownPairs), 'utf8'))
    const some = texts(new URL('pairs.jsonl', ownPairs)).filter((_, at) => at % 8 === 0)
    const halves = some.map((sql) => sql.slice(0, sql.length / 2))
    const odd = [
      '',
      'hello',
      "SELECT 'x",
      'DROP TABLE t',
      `SELECT ${'('.repeat(300)}`,
      'SELECT 1; SELECT 2',
      '\0',
    ]
    expect(differing([...tables, ...some, ...halves, ...odd], dialects)).toEqual([])
  })

  it.skipIf(!existsSync(corpora))('reads every query of the corpora as the whole library does', () => {
    for (const file of readdirSync(corpora).filter((name) => name.startsWith('queries_'))) {
      const own = dialects.filter((dialect) => file === `queries_${dialect}.jsonl`)
      expect(differing(texts(new URL(file, corpora)), own)).toEqual([])
    }
  })

  it('is a quarter of the library, which translates', () => {
    const size = (path: string): number => statSync(path).size
    const all = createRequire(import.meta.url).resolve('@polyglot-sql/sdk/polyglot_sql.wasm')
    expect(size(builtModulePath('parser/polyglot_sql.wasm'))).toBeLessThan(size(all) / 4)
    const translated = (library: Polyglot): boolean => {
      const [from, to] = [dialectIn(library, 'sqlite'), dialectIn(library, 'trino')]
      return library.transpile('SELECT 1', from, to).success
    }
    expect([translated(whole), translated(pruned)]).toEqual([true, false])
  })
})
