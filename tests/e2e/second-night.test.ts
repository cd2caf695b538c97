import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { Sqlite } from '../../src/platform/sqlite.js'
import { autotestProcess, removeFolders, scratchFolder } from './sample.js'
import { benchmarkPath, benchmarkText, read, smallProject, write } from './small-project.js'

afterAll(removeFolders)

/** The run's last line, and whether the SQL library was loaded in it. */
async function night(
  dir: string,
  ...args: string[]
): Promise<{ summary: string; parsed: boolean; code: number | null }> {
  const tools = scratchFolder()
  const seen = join(tools, 'parsed')
  const hook = join(tools, 'hook.mjs')
  writeFileSync(
    hook,
    `import { createRequire } from 'node:module'
import { writeFileSync } from 'node:fs'
const { cache } = createRequire(import.meta.url)
process.on('exit', () => {
  if (Object.keys(cache).some((path) => /[/\\\\]parser[/\\\\]index\\.cjs$/.test(path))) writeFileSync(${JSON.stringify(seen)}, '')
})
`,
  )
  const { code, out, err } = await autotestProcess(dir, ['--no-repair', ...args], {
    NODE_OPTIONS: `--import ${pathToFileURL(hook).href}`,
  })
  expect(err).toBe('')
  return { code, summary: out.trim().split('\n').at(-1) ?? '', parsed: existsSync(seen) }
}

const green = 'total=3 passed=3 repaired=0 failed=0 unproven=0 errored=0 llm_calls=0 exit=0'

/** Knowledge in other words than the benchmark, so that texts alone decide nothing. */
const project = (): string =>
  smallProject({
    [benchmarkPath]: benchmarkText.replaceAll("status = 'paid' AND market", "status IN ('paid') AND market"),
  })

describe('a second night over the same benchmark', () => {
  it('parses nothing, and comes to the same verdicts', async () => {
    const dir = project()
    expect(await night(dir)).toEqual({ code: 0, summary: green, parsed: true })
    expect(await night(dir)).toEqual({ code: 0, summary: green, parsed: false })
  })

  it('parses what has changed', async () => {
    const dir = project()
    await night(dir)
    write(dir, benchmarkPath, read(dir, benchmarkPath).replace("'paid'", "'cancelled'"))
    const { code, summary, parsed } = await night(dir)
    expect({ code, parsed }).toEqual({ code: 1, parsed: true })
    expect(summary).toContain('passed=2 repaired=0 failed=1')
  })

  it('believes no reading that was changed on the disk', async () => {
    const dir = project()
    await night(dir)
    const file = join(dir, '.autotest/cache/queries.db')
    const database = new Sqlite(file)
    const { changes } = database.prepare("UPDATE entry SET body = replace(body, 'paid', 'cancelled')").run()
    database.close()
    expect(changes).toBeGreaterThan(0)
    expect(await night(dir)).toEqual({ code: 0, summary: green, parsed: true })
    expect(await night(dir)).toEqual({ code: 0, summary: green, parsed: false })
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, bytes.length / 2))
    expect(await night(dir)).toEqual({ code: 0, summary: green, parsed: true })
  })
})
