import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { autotest, cli, removeFolders, scratchFolder } from './sample.js'
import { benchmarkPath, benchmarkText, read, smallProject, userFiles, write } from './small-project.js'

afterAll(removeFolders)

interface Audit {
  readonly audit: { readonly engine: string; readonly ms: number }
  readonly summary: {
    readonly cases: number
    readonly mutants: Readonly<Record<string, number>>
    readonly findings: Readonly<Record<string, number>>
  }
  readonly findings: readonly {
    readonly kind: string
    readonly subject: string
    readonly file: string
    readonly line: number
  }[]
}

const extra = (id: string, question: string, sql: string): string =>
  `  - id: ${id}\n    question: ${question}\n    expected_sql: ${JSON.stringify(sql)}\n`

describe('autotest audit', () => {
  it('reports what is wrong with the benchmark, writes JSON, exits 1 and touches nothing else', async () => {
    const broken = extra('typo', 'ID orders in October 2025', 'SELECT count(*) FROM ordres')
    const twice = extra('again', 'ID GMV in November 2025', 'SELECT 1 AS gmv')
    const dir = smallProject({ [benchmarkPath]: benchmarkText + broken + twice })
    const before = userFiles(dir)
    const ended = await autotest(dir, ['audit', '--output', 'reports/audit.json'])
    expect(ended.err).toBe('')
    expect(ended.code).toBe(1)
    expect(ended.out).toContain('autotest audit  5 cases · sqlite:shop.sqlite')
    expect(ended.out).toMatch(
      /Expected queries that fail \(1\)\n ! typo {3}benchmarks\/gmv\.yaml:\d+\n {3}expected_sql fails: /,
    )
    expect(ended.out).toMatch(/Cases that contradict each other \(1\)\n ! again {3}benchmarks\/gmv\.yaml:\d+/)
    const json = JSON.parse(read(dir, 'reports/audit.json')) as Audit
    expect(json.audit.engine).toBe('sqlite:shop.sqlite')
    expect(json.summary.cases).toBe(5)
    expect(json.summary.mutants['tried']).toBeGreaterThan(50)
    expect(json.summary.findings).toMatchObject({ expected_fails: 1, contradicting: 1 })
    expect(json.findings[0]).toMatchObject({ kind: 'expected_fails', subject: 'typo', file: benchmarkPath })
    expect(userFiles(dir)).toEqual(before)
    expect(existsSync(`${dir}/reports/autotest.db`)).toBe(false)
  })

  it('prints JSON alone with --reporter json', async () => {
    const ended = await autotest(smallProject(), ['audit', '--id', 'orders_id', '--reporter', 'json'])
    expect((JSON.parse(ended.out) as Audit).summary.cases).toBe(1)
  })

  it('exits 0 where nothing is found', async () => {
    const sql = 'SELECT status, count(*) AS n FROM orders WHERE id < 10 GROUP BY status'
    const ended = await autotest(
      smallProject({
        [benchmarkPath]: `cases:\n${extra('one', 'first orders', sql)}`,
        'kb/metrics/orders.yaml': null,
        'kb/metrics/gmv.yaml':
          'metric: gmv\ntitle: GMV\naliases: [first orders]\nsnippet: gmv.sql\nparameters: {}\n',
        'kb/snippets/gmv.sql': `${sql}\n`,
        'kb/snippets/orders.sql': null,
      }),
      ['audit'],
    )
    expect(ended.out).toContain('no findings')
    expect(ended.code).toBe(0)
  })

  it('exits 5 where no case matches, and 2 without a database', async () => {
    const dir = smallProject()
    const filtered = await autotest(dir, ['audit', '--tags', 'gvm'])
    expect([filtered.code, filtered.err]).toEqual([5, expect.stringContaining('nothing matched: --tags gvm')])
    write(dir, 'autotest.config.yaml', 'as_of: 2025-12-31\n')
    const bare = await autotest(dir, ['audit'])
    expect([bare.code, bare.err]).toEqual([
      2,
      expect.stringContaining('audit runs queries, and gmv_id (benchmarks/gmv.yaml:2)'),
    ])
    expect(bare.err).toContain('--engine duckdb:FILE')
  })

  it('names an empty benchmark, a wrong report file and a wrong reporter', async () => {
    const empty = smallProject({ [benchmarkPath]: 'cases: []\n' })
    expect(await autotest(empty, ['audit'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('contains no case'),
    })
    const dir = smallProject()
    expect(await autotest(dir, ['audit', '-o', 'audit.xml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('audit.xml: an audit can only be written as .json'),
    })
    expect(await autotest(dir, ['audit', '--reporter', 'junit'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--reporter junit: must be one of console, json'),
    })
    expect(await autotest(scratchFolder(), ['audit'])).toMatchObject({ code: 2 })
  })

  it('ends soon on Ctrl-C, with what to do', async () => {
    const endless =
      'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 900000000) SELECT count(*) AS n FROM c'
    const dir = smallProject({ [benchmarkPath]: `cases:\n${extra('endless', 'count', endless)}` })
    const child = spawn(process.execPath, [cli, 'audit'], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] })
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
    const ended = new Promise<number | null>((done) => child.on('close', done))
    await new Promise((resolve) => setTimeout(resolve, 2500))
    const asked = performance.now()
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(performance.now() - asked).toBeLessThan(20_000)
    expect(err).toContain('interrupted: an audit saves no partial result')
  })
})
