import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Dialect, dialects } from '../../../src/enums/dialect.js'
import { builtModulePath } from '../../../src/platform/built-module.js'
import { lazyLibrary, libraryDialect, type Polyglot } from '../../../src/sql/parsing/polyglot-library.js'
import { needsShared } from '../../needs.js'

// The build leaves out of the library's WebAssembly what does not read, or translate, and splits large functions. The
// rest must read, and translate, as all of it does.
let whole: Polyglot
let pruned: Polyglot
let translator: Polyglot
beforeAll(async () => {
  whole = createRequire(import.meta.url)('@polyglot-sql/sdk')
  await whole.init()
  translator = lazyLibrary('translator')()
  pruned = lazyLibrary('parser')()
})

const ownPairs = new URL('../../../bench/analytic/', import.meta.url)
const corpora = new URL('../../../../shared/corpora/', import.meta.url)

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
  const name = libraryDialect(library, dialect)
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

  it('reads every query of the corpora as the whole library does', needsShared('corpora'), () => {
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
      const [from, to] = [libraryDialect(library, 'sqlite'), libraryDialect(library, 'trino')]
      return library.transpile('SELECT 1', from, to).success
    }
    expect([translated(whole), translated(pruned)]).toEqual([true, false])
  })
})

/** What a library makes of a query in another dialect, and of its tree in its own. */
function translations(library: Polyglot, sql: string, dialect: Dialect, to: Dialect): string {
  const [from, other] = [libraryDialect(library, dialect), libraryDialect(library, to)]
  const parsed = library.parse(sql, from)
  const written = parsed.success ? library.generate(parsed.ast, from) : parsed
  return JSON.stringify([library.transpile(sql, from, other, { unsupportedLevel: 'raise' }), written])
}

describe('the translator that the build leaves', () => {
  it('translates from every dialect to every other as the whole library does', () => {
    const some = texts(new URL('pairs.jsonl', ownPairs)).filter((_, at) => at % 16 === 0)
    const differing = [...some, '', 'hello', "SELECT 'x", 'SELECT 1; SELECT 2'].flatMap((sql, at) =>
      dialects.flatMap((dialect, index) => {
        const to = dialects[(index + at + 1) % dialects.length] ?? dialect
        const [expected, found] = [whole, translator].map((one) => translations(one, sql, dialect, to))
        return expected === found ? [] : [`${dialect} to ${to}: ${sql}`]
      }),
    )
    expect(differing).toEqual([])
  })
})
