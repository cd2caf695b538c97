import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { autotest, removeFolders, start } from './sample.js'
import {
  drifted,
  driftedSnippet,
  loggingAgent,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterAll(removeFolders)

/** Answers the first case at once and takes a minute over the others, until agents/hurry exists. */
const slowAgent = `import { existsSync } from 'node:fs'
${loggingAgent(`const hurry = fileURLToPath(new URL('hurry', import.meta.url))
  if (request.id !== 'gmv_id' && !existsSync(hurry)) await pause(60_000)
  return { type: 'sql', sql: 'SELECT 1 AS one', read: [] }`)}`

const slowProject = (agent = slowAgent): string =>
  smallProject({
    ...drifted,
    'autotest.config.yaml':
      'engine: sqlite:shop.sqlite\nas_of: 2025-12-31\nagent: { kind: module, path: agents/slow.mjs, deterministic: true }\nlimits: { concurrency: 2 }\n',
    'agents/slow.mjs': agent,
  })

const asked = (dir: string): string[] =>
  existsSync(join(dir, 'asked.log')) ? read(dir, 'asked.log').trim().split('\n') : []

/** Waits until something holds, ten seconds at most. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!holds() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(holds()).toBe(true)
}

/** Cases that are in the run database; none where there is no database yet. */
function recorded(file: string): number {
  if (!existsSync(file)) return 0
  const database = new Database(file, { readonly: true })
  try {
    const row = database.prepare('SELECT count(*) AS count FROM cases').get() as { count: number }
    return row.count
  } finally {
    database.close()
  }
}

/** Starts a run and waits until the first case is recorded and the others are being asked. */
async function underWay(dir: string, args: readonly string[]) {
  const run = start(dir, args)
  await until(() => asked(dir).length === 3)
  const at = args.indexOf('--db')
  await until(() => recorded(join(dir, at < 0 ? 'reports/autotest.db' : (args[at + 1] ?? ''))) === 1)
  return run
}

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (signal) => {
  it('stops cleanly: exit 130, what is known is saved, and it says how to go on; --resume asks only the rest', async () => {
    const dir = slowProject()
    const run = await underWay(dir, ['--no-repair', '--db', 'my runs.db'])
    const sent = performance.now()
    run.kill(signal)
    const { code, out, err } = await run.ended
    expect(performance.now() - sent).toBeLessThan(15_000)
    const id = /^autotest (r-\w+):/.exec(out)?.[1] ?? ''
    expect(err).toContain(`interrupted · finish with: autotest --resume ${id} --db 'my runs.db'`)
    expect(out).toContain('failed=1 unproven=0 errored=0 skipped=2')
    expect(code).toBe(130)
    expect((await autotest(dir, ['runs', '--db', 'my runs.db'])).out).toContain('interrupted')

    write(dir, 'agents/hurry', '')
    write(dir, 'asked.log', '')
    const resumed = await autotest(dir, ['--resume', '--db', 'my runs.db'])
    expect(resumed.out).toContain('resumed: 1 of 3 cases are already known')
    expect(asked(dir).sort()).toEqual(['gmv_th', 'orders_id'])
    expect(resumed.out).toContain('total=3 passed=0 repaired=0 failed=3')
    expect(resumed.code).toBe(1)
    const again = await autotest(dir, ['--resume', id, '--db', 'my runs.db'])
    expect(again.err).toContain(`nothing to resume: run ${id} is finished`)
    expect(again.code).toBe(2)
  })
})

describe('--resume', () => {
  it('is refused while the run goes on, which another run does not take for one that was killed', async () => {
    const dir = slowProject()
    const run = await underWay(dir, ['--no-repair'])
    for (const args of [['--resume'], ['--resume', 'last']]) {
      const { code, err } = await autotest(dir, args)
      expect(err).toMatch(/run r-\w+ is still running in another process\n +Wait for it or stop it\./)
      expect(code).toBe(3)
    }
    await autotest(dir, ['--agent', 'template'])
    expect((await autotest(dir, ['runs'])).out).toMatch(/running/)
    expect(asked(dir)).toHaveLength(3)
    write(dir, 'agents/hurry', '')
    run.kill('SIGINT')
    expect((await run.ended).code).toBe(130)
  })

  it('goes on after SIGKILL with what had been recorded', async () => {
    const dir = slowProject()
    const run = await underWay(dir, ['--no-repair'])
    run.kill('SIGKILL')
    expect((await run.ended).code).toBeNull()
    write(dir, 'agents/hurry', '')
    write(dir, 'asked.log', '')
    const { code, out } = await autotest(dir, ['--resume'])
    expect(asked(dir).sort()).toEqual(['gmv_th', 'orders_id'])
    expect(out).toContain('failed=3')
    expect(code).toBe(1)
  })

  it('keeps the filters of the run, --last-failed included', async () => {
    const dir = slowProject()
    write(dir, 'agents/hurry', '')
    await autotest(dir, ['--no-repair', '--tags', 'gmv'])
    const run = start(dir, ['--no-repair', '--last-failed'])
    await run.says('autotest r-')
    run.kill('SIGKILL')
    await run.ended
    const { out } = await autotest(dir, ['--resume'])
    expect(out).toContain('total=2 ')
  })

  it('is refused once the knowledge base has changed', async () => {
    const dir = slowProject()
    const run = await underWay(dir, ['--no-repair'])
    run.kill('SIGINT')
    await run.ended
    write(dir, snippetPath, `${driftedSnippet}-- new\n`)
    const { code, err } = await autotest(dir, ['--resume'])
    expect(err).toMatch(
      /run r-\w+ cannot be resumed: the knowledge base has changed since\n +Start a new run\./,
    )
    expect(code).toBe(2)
  })
})

it('a second Ctrl-C ends at once, whatever is under way', async () => {
  const dir = slowProject(slowAgent.replace('await pause(60_000)', 'for (;;) {}'))
  const run = start(dir, ['--no-repair'])
  await until(() => asked(dir).length >= 2)
  run.kill('SIGINT')
  run.kill('SIGINT')
  expect((await run.ended).code).toBe(130)
  expect((await autotest(dir, ['runs'])).out).toMatch(/^r-/m)
})

it('an interrupted repair leaves the files as they were', async () => {
  const dir = smallProject({
    ...drifted,
    'autotest.config.yaml':
      'engine: sqlite:shop.sqlite\nas_of: 2025-12-31\nagent: { kind: module, path: agents/mine.mjs, deterministic: true }\n',
    // The baseline is answered; from the first repaired copy of the knowledge on, it takes for ever.
    'agents/mine.mjs': `import { readFileSync } from 'node:fs'
import { join } from 'node:path'
${loggingAgent(`const text = readFileSync(join(request.kb, 'snippets/gmv.sql'), 'utf8')
  if (text.includes('paid')) { appendFileSync(log, 'VERIFY\\n'); await pause(60_000) }
  const [, market, month] = request.question.match(/^(..) GMV in (\\w+)/) ?? []
  if (market === undefined) return { type: 'sql', sql: "SELECT count(*) FROM orders WHERE market = 'ID' AND day BETWEEN '2025-11-01' AND '2025-11-30'" }
  const [from, to] = month === 'November' ? ['2025-11-01', '2025-11-30'] : ['2025-12-01', '2025-12-31']
  return { type: 'sql', sql: text.replace('{{ period.start }}', "'" + from + "'").replace('{{ period.end }}', "'" + to + "'").replace('{{ market }}', "'" + market + "'"), read: ['metric:gmv', 'snippet:gmv.sql'] }`)}`,
  })
  const run = start(dir, ['--yes'])
  await until(() => asked(dir).includes('VERIFY'))
  run.kill('SIGINT')
  const { code, err } = await run.ended
  expect(err).toContain('interrupted · finish with: autotest --resume')
  expect(code).toBe(130)
  expect(read(dir, snippetPath)).toBe(driftedSnippet)
})
