import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { autotest, autotestProcess, type Ended, removeFolders, start } from './sample.js'
import {
  benchmarkPath,
  benchmarkText,
  driftedSnippet,
  goodSnippet,
  loggingAgent,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterAll(removeFolders)

const killer = pathToFileURL(join(import.meta.dirname, 'kill-at.mjs')).href
const ordersPath = 'kb/snippets/orders.sql'
const goodOrders =
  "SELECT count(*) AS orders\nFROM orders\nWHERE market = {{ market }} AND day BETWEEN {{ period.start }} AND {{ period.end }}\n  AND status = 'paid'\n"
const driftedOrders = goodOrders.replace("'paid'", "'open'")
const interrupted = 'not tried: the run was interrupted'

/** Answers from both snippets, and says in `asked.log` which state of the knowledge it was asked with; may wait where it is repaired. */
const slowAgent = (waits: boolean): string => `import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
${loggingAgent(`const hurry = fileURLToPath(new URL('hurry', import.meta.url))
  const text = (name) => readFileSync(join(request.kb, 'snippets', name), 'utf8')
  if (text('gmv.sql').includes('paid') || text('orders.sql').includes('paid')) { appendFileSync(log, 'VERIFY\\n'); ${waits ? 'if (!existsSync(hurry)) await pause(60_000)' : ''} }
  const [, market, what, month, year] = request.question.match(/^(..) (\\w+) in (\\w+) (\\d+)/) ?? []
  const first = new Date(month + ' 1, ' + year + ' UTC')
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0))
  const [from, to] = [first, last].map((day) => day.toISOString().slice(0, 10))
  const [id, file] = what === 'GMV' ? ['gmv', 'gmv.sql'] : ['orders', 'orders.sql']
  return { type: 'sql', sql: text(file).replace('{{ period.start }}', "'" + from + "'").replace('{{ period.end }}', "'" + to + "'").replace('{{ market }}', "'" + market + "'"), read: ['metric:' + id, 'snippet:' + file] }`)}`

/** Two snippets have lost what the benchmark asks for. */
function twiceDrifted(agent?: string): string {
  return smallProject({
    [snippetPath]: driftedSnippet,
    [ordersPath]: driftedOrders,
    [benchmarkPath]: `${benchmarkText.replace("'2025-11-30'\"\n    tags: [orders]", "'2025-11-30' AND status = 'paid'\"\n    tags: [orders]")}  - id: orders_th
    question: TH orders in December 2025
    expected_sql: "SELECT count(*) AS orders FROM orders WHERE market = 'TH' AND day BETWEEN '2025-12-01' AND '2025-12-31' AND status = 'paid'"
    tags: [orders]
`,
    ...(agent === undefined
      ? {}
      : {
          'autotest.config.yaml':
            'engine: sqlite:shop.sqlite\nas_of: 2025-12-31\nagent: { kind: module, path: agents/mine.mjs, deterministic: true }\n',
          'agents/mine.mjs': agent,
        }),
  })
}

const snippets = (dir: string): string[] => [read(dir, snippetPath), read(dir, ordersPath)]

/** All that a run has left in words: output, reports and the causes in the run database. */
function said(dir: string, { out, err }: Ended): string {
  const runs = readdirSync(join(dir, 'reports')).filter((name) => name.startsWith('r-'))
  const reports = runs.flatMap((run) =>
    readdirSync(join(dir, 'reports', run)).map((file) =>
      readFileSync(join(dir, 'reports', run, file), 'utf8'),
    ),
  )
  return [out, err, ...reports, ...causesIn(dir)].join('\n')
}

function causesIn(dir: string): string[] {
  const database = new Database(join(dir, 'reports/autotest.db'), { readonly: true })
  try {
    const rows = database.prepare("SELECT cause FROM cases WHERE outcome = 'failed'").all()
    return rows.map((row) => String((row as { cause: unknown }).cause))
  } finally {
    database.close()
  }
}

function asked(dir: string): string[] {
  return existsSync(join(dir, 'asked.log')) ? read(dir, 'asked.log').trim().split('\n') : []
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!holds() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(holds()).toBe(true)
}

describe.each(['SIGINT', 'SIGTERM'] as const)('%s while repairs are verified', (signal) => {
  it('leaves every cause as not tried, no file changed, and --resume ends as a run that nothing interrupted', async () => {
    const dir = twiceDrifted(slowAgent(true))
    const run = start(dir, [])
    await until(() => asked(dir).includes('VERIFY'))
    run.kill(signal)
    const ended = await run.ended
    expect(ended.code).toBe(130)
    expect(ended.err).toMatch(/interrupted · finish with: autotest --resume r-\w+/)
    expect(snippets(dir)).toEqual([driftedSnippet, driftedOrders])
    const causes = causesIn(dir)
    expect(causes).toHaveLength(4)
    for (const cause of causes) expect(cause).toContain(interrupted)
    expect(said(dir, ended)).toContain(interrupted)
    expect(said(dir, ended)).not.toMatch(/engine (?:is|was) closed|not verified/)
    write(dir, 'agents/hurry', '')
    const resumed = await autotest(dir, ['--resume'])
    expect(resumed.out).toContain('total=4 passed=0 repaired=4')
    expect(snippets(dir)).toEqual([goodSnippet, goodOrders])
  })
})

describe('SIGINT at other moments', () => {
  it('right after the baseline leaves nothing half done, and the run can be resumed', async () => {
    const dir = twiceDrifted(slowAgent(false))
    const run = start(dir, [])
    await until(() => asked(dir).length >= 4)
    run.kill('SIGINT')
    const ended = await run.ended
    expect(ended.code).toBe(130)
    expect(said(dir, ended)).not.toMatch(/engine (?:is|was) closed/)
    if (!ended.err.includes('--resume')) return expect(snippets(dir)).toEqual([goodSnippet, goodOrders])
    expect(snippets(dir)).toEqual([driftedSnippet, driftedOrders])
    const resumed = await autotest(dir, ['--resume'])
    expect(resumed.out).toContain('total=4 passed=0 repaired=4')
    expect(snippets(dir)).toEqual([goodSnippet, goodOrders])
  })

  // The journal changes the project several times for each of two repairs; the commits come last.
  it.each([1, 2, 3, 5, 7, 9])('at change %i of the project writes both repairs or none', async (point) => {
    const dir = twiceDrifted()
    const env = { NODE_OPTIONS: `--import ${killer}`, KILL_AT: String(point), KILL_SIGNAL: 'SIGINT' }
    const ended = await autotestProcess(dir, [], env)
    expect(ended.code).toBe(130)
    const isWritten = !ended.err.includes('autotest --resume')
    expect(snippets(dir)).toEqual(isWritten ? [goodSnippet, goodOrders] : [driftedSnippet, driftedOrders])
    if (point <= 2) expect(isWritten).toBe(false)
    if (!isWritten) {
      expect(said(dir, ended)).toContain('verified, but not written: the run was interrupted')
      const resumed = await autotest(dir, ['--resume'])
      expect(resumed.out).toContain('2 repairs are in the working tree')
    }
    expect(snippets(dir)).toEqual([goodSnippet, goodOrders])
    const again = await autotest(dir, ['--resume'])
    expect(again.err).toContain('nothing to resume')
  })

  it('twice ends at once, also while a repair is verified', async () => {
    const dir = twiceDrifted(
      slowAgent(true).replace('if (!existsSync(hurry)) await pause(60_000)', 'for (;;) {}'),
    )
    const run = start(dir, [])
    await until(() => asked(dir).includes('VERIFY'))
    run.kill('SIGINT')
    run.kill('SIGINT')
    expect((await run.ended).code).toBe(130)
    expect(snippets(dir)).toEqual([driftedSnippet, driftedOrders])
  })
})
