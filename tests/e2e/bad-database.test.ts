import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { autotest, removeFolders } from './sample.js'
import {
  benchmarkPath,
  benchmarkText,
  drifted,
  driftedSnippet,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterAll(removeFolders)

describe('the database of the questions', () => {
  it.each([
    ['absent', 'sqlite:none.sqlite', 'error  database not found: none.sqlite'],
    ['something else', `sqlite:${benchmarkPath}`, 'is not a SQLite database, or is corrupt'],
    ['of another kind', 'duckdb:shop.sqlite', 'shop.sqlite is not a DuckDB database'],
    ['a folder', 'sqlite:benchmarks', 'benchmarks is a folder, not a database'],
  ])('that is %s: exit 3, nothing made in its place', async (_, engine, message) => {
    const dir = smallProject(drifted)
    const names = readdirSync(dir)
    const { code, out, err } = await autotest(dir, ['--engine', engine])
    expect(err).toContain(message)
    expect(err).toContain('`engine` in autotest.config.yaml')
    expect([code, out]).toEqual([3, ''])
    expect(readdirSync(dir).filter((name) => !['reports', '.autotest'].includes(name))).toEqual(names)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })

  it('that is absent: the file and line that name it, and what it resolves to', async () => {
    const dir = smallProject({ 'other.yaml': 'as_of: 2025-12-31\nengine: sqlite:none.sqlite\n' })
    const { err } = await autotest(dir, ['--config', 'other.yaml'])
    const words = err.replaceAll(/\s+/g, ' ')
    expect(words).toContain('sqlite:none.sqlite is from other.yaml:2.')
    expect(words).toContain(`There is no file ${join(dir, 'none.sqlite')}`)
  })

  it.each([
    ['autotest.config.yaml', 'http:https://me:hunter2@127.0.0.1:1/sql'],
    ['autotest.config.yaml', 'http:http://127.0.0.1:1/sql?token=hunter2'],
    [benchmarkPath, 'https://me:hunter2@127.0.0.1:1/sql'],
  ])(
    'whose address in %s holds a secret, %s: said with its place, which is shown nowhere',
    async (file, engine) => {
      const dir = smallProject()
      const text = read(dir, file).replace(/^engine: .*\n/, '')
      write(dir, file, `engine: ${engine}\n${text}`)
      for (const args of [[], ['--verbose'], ['--list'], ['kb', 'check'], ['audit']]) {
        const { code, out, err } = await autotest(dir, args)
        if (file !== benchmarkPath || args[0] !== 'kb') {
          expect([args, code]).toEqual([args, 2])
          expect(err).toContain(`${file}:1:1  \`engine\` must not hold a `)
        }
        expect(out + err).not.toContain('hunter2')
      }
      const flagged = await autotest(smallProject(), ['--engine', engine])
      expect([flagged.code, flagged.out]).toEqual([2, ''])
      expect(flagged.err).toMatch(/^error {2}--engine must not hold a (?!.*hunter2)/)
      const kept = readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter(
          (entry) => entry.isFile() && entry.name !== 'gmv.yaml' && entry.name !== 'autotest.config.yaml',
        )
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      expect(kept.join('\n')).not.toContain('hunter2')
    },
  )

  it('that is cut short: exit 3, no wrong answer is counted, nothing is repaired', async () => {
    const dir = smallProject(drifted)
    const file = join(dir, 'shop.sqlite')
    truncateSync(file, Math.floor(statSync(file).size / 2))
    const bytes = readFileSync(file)
    const { code, out, err } = await autotest(dir, [])
    expect(err).toContain('error  shop.sqlite: database disk image is malformed')
    expect([code, out]).toEqual([3, ''])
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })

  it('without a table that the expected query reads: suspect oracle with its line, never repaired', async () => {
    const dir = smallProject({
      [benchmarkPath]: benchmarkText.replace('FROM orders WHERE market', 'FROM ordrs WHERE market'),
    })
    const { code, out } = await autotest(dir, [])
    expect(out).toContain(
      `ERROR orders_id: suspect oracle: expected_sql fails: no such table: ordrs (${benchmarkPath}:12)`,
    )
    expect(out).toContain('passed=2')
    expect(code).toBe(1)
    const shown = await autotest(dir, ['runs', 'show', 'last'])
    expect(shown.out.match(/benchmarks\/gmv\.yaml/g)).toHaveLength(1)
  })
})

describe('the run database', () => {
  it('that is corrupt is set aside and kept, and the run goes on', async () => {
    const dir = smallProject({ 'reports/autotest.db': 'not a database, but mine' })
    const { code, err } = await autotest(dir, [])
    expect(err).toMatch(/^warning {2}.*reports\/autotest\.db was damaged .* renamed to .*corrupt-/)
    expect(code).toBe(0)
    const aside = readdirSync(join(dir, 'reports')).find((name) => name.includes('.corrupt-')) ?? ''
    expect(read(dir, `reports/${aside}`)).toBe('not a database, but mine')
  })

  it('that is locked by another program: exit 3 after a short wait, nothing repaired; every row still there', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--no-repair'])
    const database = new Database(join(dir, 'reports/autotest.db'))
    try {
      database.exec('BEGIN EXCLUSIVE')
      const { code, err } = await autotest(dir, [])
      expect(err).toContain('the run database is locked by another process')
      expect(err).toContain('--db FILE')
      expect(code).toBe(3)
    } finally {
      database.exec('ROLLBACK')
      database.close()
    }
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
    expect((await autotest(dir, ['runs'])).out.match(/^r-/gm)).toHaveLength(1)
  })

  it('of a newer autotest is refused and left as it is', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--no-repair'])
    const database = new Database(join(dir, 'reports/autotest.db'))
    database.pragma('user_version = 999')
    database.close()
    const bytes = readFileSync(join(dir, 'reports/autotest.db'))
    const { code, err } = await autotest(dir, [])
    expect(err).toContain('created by a newer autotest (schema 999')
    expect(err).toContain('Update autotest')
    expect(code).toBe(3)
    expect(readFileSync(join(dir, 'reports/autotest.db')).equals(bytes)).toBe(true)
  })

  it('of another program is refused, not used', async () => {
    const dir = smallProject()
    const { code, err } = await autotest(dir, ['--db', 'shop.sqlite'])
    expect(err).toContain('not a run database of autotest (it belongs to another program)')
    expect(code).toBe(3)
  })

  it('may be elsewhere: --db', async () => {
    const dir = smallProject()
    expect((await autotest(dir, ['--db', 'other/place.db'])).code).toBe(0)
    expect((await autotest(dir, ['runs', '--db', 'other/place.db'])).out).toMatch(/^r-\w+ .* 3\/3/m)
  })
})
