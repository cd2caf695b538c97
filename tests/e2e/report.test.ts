import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { autotest, removeFolders } from './sample.js'
import { drifted, driftedSnippet, smallProject, snippetPath, write } from './small-project.js'

afterAll(removeFolders)

const dataOf = (file: string) => {
  const packed = /<script id="data"[^>]*>([^<]*)</.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString())
}

describe('autotest report', () => {
  it('writes a page of the last run with its trend and what changed, and names the file', async () => {
    const dir = smallProject()
    await autotest(dir, ['--no-repair'])
    write(dir, snippetPath, driftedSnippet)
    await autotest(dir, ['--no-repair', '-o', 'night.html'])
    const { out, code } = await autotest(dir, ['report'])
    expect(code).toBe(0)
    const file = join(dir, out.trim())
    for (const each of [file, join(dir, 'night.html')]) {
      const data = dataOf(each)
      expect(data.history.map(({ counts }: { counts: { passed: number } }) => counts.passed)).toEqual([3, 1])
      expect(data.compared).toMatchObject({ broken: 2, fixed: 0 })
      expect(data.cases.find(({ id }: { id: string }) => id === 'gmv_id')).toMatchObject({
        outcome: 'failed',
        before: 'passed',
        differences: [expect.stringContaining("status = 'paid'"), '1 of 1 rows differ'],
      })
    }
  })

  it('an unknown run, another extension, and no run at all: what to do instead', async () => {
    const dir = smallProject()
    expect((await autotest(dir, ['report'])).err).toMatch(/no runs|No runs|no run/)
    await autotest(dir, ['--no-repair'])
    expect((await autotest(dir, ['report', 'r-ffff'])).err).toMatch(/The latest are r-/)
    const { err, code } = await autotest(dir, ['report', '-o', 'x.pdf'])
    expect([code, err]).toEqual([2, expect.stringMatching(/a page ends with \.html/)])
  })
})

describe('autotest runs prune', () => {
  it('removes old runs with all their rows and reports, and keeps those with edits to be decided about', async () => {
    const dir = smallProject(drifted)
    for (const flags of [['--no-repair'], ['--dry-run'], []]) await autotest(dir, flags)
    const database = new Database(join(dir, 'reports/autotest.db'))
    database.exec(
      "UPDATE runs SET started_at = '2020-01-01T00:00:00.000Z'; UPDATE gates SET expires_at = '2020-02-01T00:00:00.000Z'",
    )
    const ids = database
      .prepare('SELECT id FROM runs ORDER BY seq')
      .all()
      .map((row) => (row as { id: string }).id)
    const count = (table: string) =>
      (database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
    const dry = await autotest(dir, ['runs', 'prune', '--dry-run'])
    expect(dry.out).toContain(`2 runs would be removed: ${ids[0]}, ${ids[1]}`)
    expect(count('runs')).toBe(3)
    await autotest(dir, ['--no-repair'])
    expect((await autotest(dir, ['runs', 'prune', '--keep', '30d'])).out).toContain('2 runs removed')
    expect(count('runs')).toBe(2)
    for (const table of ['cases', 'samples', 'attempts'])
      expect([
        table,
        (database.prepare(`SELECT count(DISTINCT run) AS n FROM ${table}`).get() as { n: number }).n,
      ]).toEqual([table, table === 'attempts' ? 1 : 2])
    expect(database.pragma('foreign_key_check')).toEqual([])
    database.close()
    expect(ids.slice(0, 2).map((id) => existsSync(join(dir, 'reports', id)))).toEqual([false, false])
    expect((await autotest(dir, ['revert', ids[2] ?? ''])).code).toBe(0)
  })

  it.each(['90', 'soon', '-1d', '1h'])('--keep %s is no duration', async (keep) => {
    const { code, err } = await autotest(smallProject(), ['runs', 'prune', `--keep=${keep}`])
    expect([code, err]).toEqual([2, expect.stringMatching(/90d, 12w, 6m or 2y/)])
  })
})

describe('--reporter summary', () => {
  it('is a short message for a chat that notifies nobody', async () => {
    const run = await autotest(smallProject(drifted), ['--no-repair', '--reporter', 'summary'])
    expect(run.out).toMatch(/^:x: \*autotest r-\w+\* 1 of 3 right · 2 wrong/)
    expect(run.out).toMatch(/• `gmv_id` failed: filter missing: status = 'paid'/)
  })
})
