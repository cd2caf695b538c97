import { execFileSync, fork } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openParseCache, type ParseCacheFile } from '../../../src/app/project/parse-cache-file.js'
import { Sqlite } from '../../../src/platform/sqlite.js'
import { needsRoot } from '../../needs.js'
import { asOrdinaryUser } from '../../ordinary-user.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-cache-'))
  folders.push(folder)
  return folder
}

const fileOf = (root: string): string => join(root, '.autotest/cache/queries.db')

async function opened(root: string, env = {}, mostBytes?: number): Promise<ParseCacheFile> {
  const cache = await openParseCache(root, { env, ...(mostBytes === undefined ? {} : { mostBytes }) })
  if (cache === undefined) throw new Error('the cache cannot be used')
  return cache
}

const body = (index: number): string => JSON.stringify({ kind: 'query', index, text: 'x'.repeat(200) })

async function filled(root: string, count = 100): Promise<void> {
  const cache = await opened(root)
  for (let index = 0; index < count; index++) cache.set(`key ${index}`, body(index))
  cache.close()
}

/** Every key's body, or undefined where it is not known. */
async function readAll(root: string, count = 100): Promise<(string | undefined)[]> {
  const cache = await openParseCache(root, { env: {} })
  const found = Array.from({ length: count }, (_, index) => cache?.get(`key ${index}`))
  cache?.close()
  return found
}

const all = Array.from({ length: 100 }, (_, index) => body(index))

describe('what was read of queries', () => {
  it('is there in the next run, apart from the run database and out of git', async () => {
    const root = project()
    const first = await opened(root)
    expect(first.isEmpty).toBe(true)
    first.set('key 0', body(0))
    expect(first.get('key 0')).toBe(body(0))
    first.close()
    const second = await opened(root)
    expect(second.isEmpty).toBe(false)
    expect(second.get('key 0')).toBe(body(0))
    expect(second.get('key 1')).toBeUndefined()
    second.close()
    expect(readFileSync(join(root, '.autotest/.gitignore'), 'utf8')).toBe('*\n')
  })

  it('is safe to delete', async () => {
    const root = project()
    await filled(root)
    rmSync(join(root, '.autotest'), { recursive: true })
    expect(await readAll(root)).toEqual(all.map(() => undefined))
    await filled(root)
    expect(await readAll(root)).toEqual(all)
  })

  it('is bounded: what was kept first goes first', async () => {
    const root = project()
    const cache = await opened(root, {}, 200_000)
    for (let index = 0; index < 5000; index++) cache.set(`key ${index}`, body(index))
    cache.close()
    expect(statSync(fileOf(root)).size).toBeLessThan(600_000)
    const again = await opened(root)
    expect(again.get('key 0')).toBeUndefined()
    expect(again.get('key 4999')).toBe(body(4999))
    again.close()
  })

  it('is not kept where it holds a secret, or is very long', async () => {
    const root = project()
    const cache = await opened(root, { API_TOKEN: 'tr0ub4dor-and-3' })
    cache.set('secret', '{"value":"tr0ub4dor-and-3"}')
    cache.set('long', 'x'.repeat(2_000_000))
    expect([cache.get('secret'), cache.get('long')]).toEqual([undefined, undefined])
    cache.close()
    expect(readFileSync(fileOf(root)).includes('tr0ub4dor')).toBe(false)
  })
})

describe('a damaged cache', () => {
  it('is never believed: of any byte that flips, a body is whole or unknown', async () => {
    const root = project()
    await filled(root)
    const file = fileOf(root)
    const bytes = readFileSync(file)
    let lost = 0
    for (let at = 0; at < bytes.length; at += 97) {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
      writeFileSync(file, flipped)
      rmSync(`${file}-journal`, { force: true })
      for (const [index, found] of (await readAll(root)).entries()) {
        if (found === undefined) lost++
        else expect(found, `byte ${at}`).toBe(body(index))
      }
    }
    expect(lost).toBeGreaterThan(0)
  })

  it('whose body was changed, or lies under another key, is not believed, and is replaced', async () => {
    const root = project()
    await filled(root)
    const database = new Sqlite(fileOf(root))
    database.exec("UPDATE entry SET body = replace(body, 'query', 'other') WHERE key = 'key 1'")
    database.exec("UPDATE entry SET key = 'moved' WHERE key = 'key 2'")
    database.exec("UPDATE entry SET key = 'key 2' WHERE key = 'key 3'")
    database.close()
    const cache = await opened(root)
    expect([1, 2, 3].map((index) => cache.get(`key ${index}`))).toEqual([undefined, undefined, undefined])
    cache.set('key 1', body(1))
    cache.close()
    expect((await readAll(root))[1]).toBe(body(1))
  })

  it.each([
    ['cut in the middle', (file: string) => truncateSync(file, 5000)],
    ['cut to nothing', (file: string) => truncateSync(file, 0)],
    ['overwritten', (file: string) => writeFileSync(file, 'not a database at all, but long enough for one')],
  ])('that was %s is begun anew', async (_what, damage) => {
    const root = project()
    await filled(root)
    damage(fileOf(root))
    for (const [index, found] of (await readAll(root)).entries())
      expect([undefined, body(index)]).toContain(found)
    await filled(root)
    await filled(root)
    expect(await readAll(root)).toEqual(all)
  })

  it.each([
    ['other columns', 'CREATE TABLE entry (id INTEGER)'],
    [
      'a view that never ends',
      `CREATE VIEW entry AS WITH RECURSIVE n (key) AS (SELECT 'a' UNION ALL SELECT key || 'a' FROM n)
       SELECT key, key AS digest, key AS body FROM n ORDER BY key`,
    ],
    [
      'a trigger beside the entries',
      `CREATE TABLE entry (key TEXT PRIMARY KEY, digest TEXT NOT NULL, body TEXT NOT NULL) STRICT;
       CREATE TRIGGER more AFTER INSERT ON entry BEGIN INSERT INTO entry SELECT key || 'x', digest, body FROM entry; END`,
    ],
  ])('of another layout is begun anew: %s', async (_what, layout) => {
    const root = project()
    mkdirSync(join(root, '.autotest/cache'), { recursive: true })
    const database = new Sqlite(fileOf(root))
    database.exec(layout)
    database.close()
    await filled(root)
    await filled(root)
    expect(await readAll(root)).toEqual(all)
  })
})

describe('a cache that cannot be written', () => {
  it('for the disk is full ends its use, not the run', needsRoot, async ({ skip }) => {
    const root = project()
    mkdirSync(join(root, '.autotest/cache'), { recursive: true })
    try {
      execFileSync(
        'mount',
        ['-t', 'tmpfs', '-o', 'size=64k,mode=755', 'tmpfs', join(root, '.autotest/cache')],
        {
          stdio: 'pipe',
        },
      )
    } catch (error) {
      skip(`no file system can be mounted here: ${String(error)}`)
    }
    try {
      await filled(root, 2000)
      const found = await readAll(root, 2000)
      for (const [index, one] of found.entries()) expect([undefined, body(index)]).toContain(one)
      expect(found).toContain(undefined)
    } finally {
      execFileSync('umount', [join(root, '.autotest/cache')])
    }
  })

  it('for file and folder are read-only is read all the same', async () => {
    const root = project()
    await filled(root)
    const cacheFolder = join(root, '.autotest/cache')
    for (const path of [fileOf(root), cacheFolder]) chmodSync(path, 0o555)
    try {
      await asOrdinaryUser(root, async () => {
        const cache = await opened(root)
        cache.set('new', '{}')
        cache.close()
        expect(await readAll(root)).toEqual(all)
      })
    } finally {
      chmodSync(cacheFolder, 0o755)
    }
  })

  it('for another process writes is not waited for', async () => {
    const root = project()
    await filled(root)
    const other = new Sqlite(fileOf(root))
    other.exec('BEGIN EXCLUSIVE')
    const cache = await opened(root)
    expect(cache.get('key 1')).toBeUndefined()
    cache.set('new', '{}')
    cache.close()
    other.exec('COMMIT')
    other.close()
    expect(await readAll(root)).toEqual(all)
  })
})

describe('a cache that may be somebody else’s', () => {
  it('for it belongs to another user is not used', needsRoot, async () => {
    const root = project()
    await filled(root)
    chownSync(fileOf(root), 12_345, 12_345)
    expect(await openParseCache(root, { env: {} })).toBeUndefined()
    expect(existsSync(fileOf(root))).toBe(true)
  })

  it('for it is a link is not used, nor is what it points to changed', async () => {
    const root = project()
    await filled(root)
    const elsewhere = project()
    mkdirSync(join(elsewhere, '.autotest/cache'), { recursive: true })
    symlinkSync(fileOf(root), fileOf(elsewhere))
    expect(await openParseCache(elsewhere, { env: {} })).toBeUndefined()
    rmSync(fileOf(elsewhere))
    linkSync(fileOf(root), fileOf(elsewhere))
    expect(await openParseCache(elsewhere, { env: {} })).toBeUndefined()
    expect((await readAll(elsewhere))[0]).toBeUndefined()
  })

  it('for its folder is a link or a file is not used', async () => {
    for (const make of [
      (path: string) => symlinkSync(project(), path),
      (path: string) => writeFileSync(path, ''),
    ]) {
      const root = project()
      mkdirSync(join(root, '.autotest'))
      make(join(root, '.autotest/cache'))
      expect(await openParseCache(root, { env: {} })).toBeUndefined()
      const whole = project()
      make(join(whole, '.autotest'))
      expect(await openParseCache(whole, { env: {} })).toBeUndefined()
    }
  })
})

it('two runs that write at once lose no more than time', async () => {
  const root = project()
  const program = join(root, 'writer.mjs')
  const built = new URL('../../../build/modules/app/project/parse-cache-file.js', import.meta.url)
  writeFileSync(
    program,
    `import { openParseCache } from ${JSON.stringify(built.href)}
const cache = await openParseCache(${JSON.stringify(root)}, { env: {} })
const body = ${body.toString()}
const from = Number(process.argv[2])
for (let index = from; index < from + 3000; index++) { cache.get('key ' + (index - 700)); cache.set('key ' + index, body(index)) }
cache.close()
`,
  )
  const ended = [0, 1000, 2000].map(
    (from) => new Promise((resolve) => fork(program, [String(from)]).on('exit', resolve)),
  )
  expect(await Promise.all(ended)).toEqual([0, 0, 0])
  const found = await readAll(root, 5000)
  for (const [index, one] of found.entries()) expect([undefined, body(index)]).toContain(one)
  expect(found.filter((one) => one !== undefined).length).toBeGreaterThan(500)
})

describe('a project that cannot have a cache', () => {
  it('for it is read-only and has none yet runs without', async () => {
    const root = project()
    chmodSync(root, 0o555)
    await asOrdinaryUser(root, async () => {
      expect(await openParseCache(root, { env: {} })).toBeUndefined()
    })
  })

  it('for its journal is no file, or everybody may write it, runs without', async () => {
    const root = project()
    await filled(root)
    execFileSync('mkfifo', [`${fileOf(root)}-journal`])
    expect(await openParseCache(root, { env: {} })).toBeUndefined()
    rmSync(`${fileOf(root)}-journal`)
    chmodSync(fileOf(root), 0o666)
    expect(await openParseCache(root, { env: {} })).toBeUndefined()
  })
})
