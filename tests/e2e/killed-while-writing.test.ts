import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { autotest, autotestProcess, type Ended, removeFolders } from './sample.js'
import {
  benchmarkPath,
  benchmarkText,
  driftedSnippet,
  goodSnippet,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterAll(removeFolders)

const killer = pathToFileURL(join(import.meta.dirname, 'kill-at.mjs')).href
const ordersPath = 'kb/snippets/orders.sql'
const goodOrders =
  "SELECT count(*) AS orders\nFROM orders\nWHERE market = {{ market }} AND day BETWEEN {{ period.start }} AND {{ period.end }}\n  AND status = 'paid'\n"

/** Two snippets have lost a filter that the benchmark asks for. */
function twiceDrifted(): string {
  return smallProject({
    [snippetPath]: driftedSnippet,
    [ordersPath]: goodOrders.replace("'paid'", "'open'"),
    [benchmarkPath]: `${benchmarkText.replace("'2025-11-30'\"\n    tags: [orders]", "'2025-11-30' AND status = 'paid'\"\n    tags: [orders]")}  - id: orders_th
    question: TH orders in December 2025
    expected_sql: "SELECT count(*) AS orders FROM orders WHERE market = 'TH' AND day BETWEEN '2025-12-01' AND '2025-12-31' AND status = 'paid'"
    tags: [orders]
`,
  })
}

function killedAt(dir: string, point: number): Promise<Ended> {
  return autotestProcess(dir, [], { NODE_OPTIONS: `--import ${killer}`, KILL_AT: String(point) })
}

describe('a run that is killed while it writes its repairs', () => {
  // Before the first record of the journal, between the two repairs, and before the last change of the second one.
  it.each([1, 3, 5, 7, 9])('can be resumed and reverted when it is killed at change %i', async (point) => {
    const dir = twiceDrifted()
    const before = textsOf(dir)
    expect((await killedAt(dir, point)).code).toBeNull()
    const resumed = await autotest(dir, ['--resume'])
    expect([resumed.code, resumed.out]).toEqual([
      1,
      expect.stringContaining('2 repairs are in the working tree'),
    ])
    expect([read(dir, snippetPath), read(dir, ordersPath)]).toEqual([goodSnippet, goodOrders])
    expect((await autotest(dir, ['revert', 'last'])).code).toBe(0)
    expect(textsOf(dir)).toEqual(before)
  })

  it.each([1, 3, 5, 7, 9])('can be reverted at once when it is killed at change %i', async (point) => {
    const dir = twiceDrifted()
    const before = textsOf(dir)
    await killedAt(dir, point)
    await autotest(dir, ['revert', 'last'])
    expect(textsOf(dir)).toEqual(before)
  })

  it('keeps its attempts, and so the way back, where a file was edited since', async () => {
    const dir = twiceDrifted()
    const before = textsOf(dir)
    await killedAt(dir, 7)
    const changed = [snippetPath, ordersPath].find((path) => read(dir, path) !== before[path])
    if (changed === undefined) throw new Error('nothing was written before the kill')
    const written = read(dir, changed)
    write(dir, changed, `${written}-- mine\n`)
    const refused = await autotest(dir, ['--resume'])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(changed)])
    expect(read(dir, changed)).toBe(`${written}-- mine\n`)
    write(dir, changed, written)
    expect((await autotest(dir, ['revert', 'last'])).code).toBe(0)
    expect(textsOf(dir)).toEqual(before)
  })
})

function read(dir: string, path: string): string {
  return readFileSync(join(dir, path), 'utf8')
}

/** The files of the knowledge base that runs write here. */
function textsOf(dir: string): Record<string, string> {
  return { [snippetPath]: read(dir, snippetPath), [ordersPath]: read(dir, ordersPath) }
}
