import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsPostgres, startPostgres } from '../engine/server/postgres-server.js'
import { autotest, removeFolders, start } from './sample.js'
import { drifted, smallProject } from './small-project.js'

const server = await startPostgres()
const env = { PGPASSWORD: 'reader' }

afterAll(() => {
  server?.stop()
  removeFolders()
})

/** What PUBLIC may do on a new server is told in each run. */
const withoutRightsNote = (text: string): string =>
  text.replaceAll(/^note {2}the role reader has rights beyond reading,.*\n/gmu, '')

describe('a project on PostgreSQL', needsPostgres, () => {
  beforeAll(() =>
    server?.run(
      `CREATE TABLE orders (id integer PRIMARY KEY, market text, day date, amount float8, status text);
       INSERT INTO orders SELECT g, (ARRAY['ID', 'ID', 'ID', 'TH', 'TH', 'VN'])[g % 6 + 1], DATE '2025-09-01' + g % 122,
         (g * 37) % 997, CASE WHEN g % 4 = 0 THEN 'cancelled' ELSE 'paid' END FROM generate_series(0, 899) g;
       GRANT SELECT ON orders TO reader`,
    ),
  )

  const project = (changes = {}, query = ''): string =>
    smallProject({
      'autotest.config.yaml': `engine: postgres:${server?.address({ query })}\nas_of: 2025-12-31\n`,
      ...changes,
    })

  it('is evaluated, and a wrong answer is seen by its rows', async () => {
    const good = await autotest(project(), ['--no-repair'], env)
    expect([good.code, good.out]).toEqual([0, expect.stringContaining('3')])
    const bad = await autotest(project(drifted), ['--no-repair'], env)
    expect(bad.code).toBe(1)
    expect(await server?.sessions('reader')).toBe(0)
  })

  it('has its knowledge repaired from git or by rules, and proved on the server', async () => {
    const dir = project(drifted)
    const run = await autotest(dir, ['--dry-run'], env)
    expect(run.out).toContain("status = 'paid'")
  })

  it('rows that agree by chance are told apart on copies, and the report says what was asked', async () => {
    const dir = project({
      // No order was refunded so far.
      'kb/snippets/orders.sql':
        "SELECT count(*) AS orders\nFROM orders\nWHERE market = {{ market }} AND status <> 'refunded' AND day BETWEEN {{ period.start }} AND {{ period.end }}\n",
    })
    const run = await autotest(
      dir,
      ['--no-repair', '-o', 'out.json', '-o', 'out.md', '--id', 'orders_id'],
      env,
    )
    const { cases, engines } = JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8'))
    expect(cases[0]).toMatchObject({
      verdict: 'fail',
      reason: expect.stringMatching(/match on the database, but not on fuzzed copy/),
    })
    expect(engines).toEqual([
      { url: expect.stringMatching(/^postgres:/), queries: expect.any(Number), ms: expect.any(Number) },
    ])
    expect(engines[0].queries).toBeGreaterThan(5)
    expect(readFileSync(join(dir, 'out.md'), 'utf8')).toMatch(/ \d+ queries, \d/)
    expect(run.code).toBe(1)
  })

  it('--max-scan ends a run, which can be resumed: exit 4', async () => {
    const dir = project()
    const run = await autotest(dir, ['--no-repair', '--max-scan', '1ms'], env)
    expect([run.code, run.err + run.out]).toEqual([
      4,
      expect.stringMatching(/--max-scan reached: queries took/),
    ])
    const resumed = await autotest(dir, ['--no-repair', '--resume'], env)
    expect(resumed.code).toBe(0)
  })

  it('a password in the address is refused, and never shown', async () => {
    const dir = project({ 'autotest.config.yaml': 'engine: postgres://reader:hunter2@127.0.0.1/shop\n' })
    const run = await autotest(dir, [], env)
    expect(run.code).toBe(2)
    expect(run.err).toMatch(/must not hold a password/)
    expect(run.out + run.err).not.toContain('hunter2')
  })

  it.each([
    ['a wrong password', {}, { PGPASSWORD: 'wrong-secret' }, /password authentication failed/],
    [
      'no server',
      { 'autotest.config.yaml': 'engine: postgres://reader@127.0.0.1:1/shop\n' },
      env,
      /no server answers/,
    ],
  ])('%s: exit 3, and what to do', async (_what, changes, given, message) => {
    const run = await autotest(project(changes), [], given)
    expect(run.code).toBe(3)
    expect(run.err).toMatch(message)
    expect(run.out + run.err).not.toContain('wrong-secret')
  })

  it('a service file and a password file are read; a file that others may read is not', async () => {
    const dir = project()
    const [, port] = /:(\d+)\//.exec(server?.address() ?? '') ?? []
    writeFileSync(
      join(dir, 'service.conf'),
      `# ours\n[shop]\nhost=127.0.0.1\nport=${port}\nuser=reader\ndbname=postgres\n`,
    )
    writeFileSync(join(dir, 'pass'), `127.0.0.1:${port}:*:reader:reader\n`, { mode: 0o600 })
    writeFileSync(join(dir, 'open'), `127.0.0.1:${port}:*:reader:reader\n`, { mode: 0o644 })
    const run = (file: string) =>
      autotest(dir, ['--no-repair', '--engine', 'postgres:?service=shop'], {
        PGSERVICEFILE: join(dir, 'service.conf'),
        PGPASSFILE: join(dir, file),
      })
    expect((await run('pass')).code).toBe(0)
    expect((await run('open')).err).toMatch(/wants a password|password/)
  })

  it('a profile of dbt names the server, and its password is shown nowhere', async () => {
    const [, port] = /:(\d+)\//.exec(server?.address() ?? '') ?? []
    const output = {
      type: 'postgres',
      host: '127.0.0.1',
      port: Number(port),
      user: 'reader',
      password: 'reader',
      dbname: 'postgres',
    }
    const dir = project({
      'autotest.config.yaml': 'engine: dbt:shop/dev\nas_of: 2025-12-31\n',
      'profiles.yml': JSON.stringify({ shop: { target: 'prod', outputs: { dev: output } } }),
    })
    const run = await autotest(dir, ['--no-repair'], { PGPASSWORD: 'wrong' })
    expect([run.code, withoutRightsNote(run.err)]).toEqual([0, ''])
    expect((await autotest(dir, ['--no-repair', '--engine', 'dbt:shop'], env)).err).toMatch(/no target prod/)
  })

  it('a table that another session locks ends the run with exit 3, and --resume scores the rest', async () => {
    const dir = project({
      'autotest.config.yaml': `engine: postgres:${server?.address()}\nas_of: 2025-12-31\nlimits: { query_timeout: 2s }\n`,
    })
    const holder = new Client({
      ...{ host: '127.0.0.1', port: server?.port ?? 0, user: 'postgres' },
      ...{ password: 'postgres', database: 'postgres' },
    })
    await holder.connect()
    await holder.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE')
    const busy = await autotest(dir, ['--no-repair'], env)
    await holder.end()
    expect([busy.code, busy.out + busy.err]).toEqual([3, expect.stringMatching(/lock/)])
    expect(busy.out).not.toContain('suspect oracle')
    const resumed = await autotest(dir, ['--no-repair', '--resume'], env)
    expect([resumed.code, withoutRightsNote(resumed.err)]).toEqual([0, ''])
  })

  it('Ctrl-C leaves no session', async () => {
    const slow = `cases:\n  - id: slow\n    question: ID GMV in November 2025\n    expected_sql: SELECT pg_sleep(30)\n`
    const dir = project({ 'benchmarks/gmv.yaml': slow })
    const running = start(dir, ['--no-repair'], env)
    await expect.poll(() => server?.sessions('reader'), { timeout: 20_000 }).toBeGreaterThan(0)
    running.kill('SIGINT')
    await running.ended
    await expect.poll(() => server?.sessions('reader'), { timeout: 4000 }).toBe(0)
    expect(existsSync(dir)).toBe(true)
  })
})
