import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { smallProject } from './small-project.js'

afterAll(removeFolders)

/** A value of the database that is in no query: the largest amount, 996, multiplied. */
const benchmark = `cases:
  - id: names
    question: ID orders in November 2025
    expected_sql: SELECT max(amount) * 100003 AS orders FROM orders
`
const secret = /99602988/
const config = (rows: string) => `engine: sqlite:shop.sqlite\nas_of: 2025-12-31\nscoring: { rows: ${rows} }\n`
const flags = [
  '--no-repair',
  '-o',
  'a.json',
  '-o',
  'a.md',
  '-o',
  'a.xml',
  '-o',
  'a.html',
  '--reporter',
  'console',
  '--verbose',
]

/** Everything that a run left behind. */
async function traces(rows: string): Promise<string> {
  const dir = smallProject({ 'autotest.config.yaml': config(rows), 'benchmarks/gmv.yaml': benchmark })
  const run = await autotest(dir, flags)
  expect(run.code).toBe(1)
  const page = /<script id="data"[^>]*>([^<]*)</.exec(readFileSync(join(dir, 'a.html'), 'utf8'))?.[1] ?? ''
  const texts = [
    run.out,
    run.err,
    ...['a.json', 'a.md', 'a.xml'].map((name) => readFileSync(join(dir, name), 'utf8')),
    gunzipSync(Buffer.from(page, 'base64')).toString(),
    execFileSync('cat', [join(dir, 'reports/autotest.db')], { encoding: 'latin1' }),
  ]
  return texts.join('\n')
}

describe('scoring.rows', () => {
  it('full: values are in reports and in the run database', async () => {
    expect(await traces('full')).toMatch(secret)
  })

  it('masked: marks instead of values, by which equal ones are seen', async () => {
    const found = await traces('masked')
    expect(found).not.toMatch(secret)
    expect(found).toMatch(/‹[0-9a-f]{6}›/)
    expect(found).toMatch(/1 of 1 rows differ/)
  })

  it('none: only how many rows differ', async () => {
    const found = await traces('none')
    expect(found).not.toMatch(secret)
    expect(found).not.toMatch(/‹[0-9a-f]{6}›/)
    expect(found).toMatch(/1 of 1 rows differ/)
  })

  it('another word is refused with its place', async () => {
    const run = await autotest(smallProject({ 'autotest.config.yaml': config('some') }), ['--no-repair'])
    expect([run.code, run.err]).toEqual([2, expect.stringMatching(/autotest\.config\.yaml:3:\d+.*rows/)])
  })
})
