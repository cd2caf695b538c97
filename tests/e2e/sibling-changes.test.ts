import { afterEach, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { gitRepository, read, smallProject, write } from './small-project.js'

afterEach(removeFolders)

const names = ['gmv', 'orders', 'average', 'largest', 'smallest', 'days']
const measures: Record<string, string> = {
  gmv: 'sum(o.amount)',
  orders: 'count(*)',
  average: 'avg(amount)',
  largest: 'max(amount)',
  smallest: 'min(amount)',
  days: 'count(DISTINCT day)',
}

const metricPath = (name: string): string => `kb/metrics/${name}.yaml`
const queryPath = (name: string): string => `kb/snippets/${name}.sql`

/** The query of a metric; the first one qualifies its columns. */
function queryOf(name: string, filter = true): string {
  const of = name === 'gmv' ? 'o.' : ''
  return [
    `SELECT ${measures[name]} AS value`,
    `FROM orders${of === '' ? '' : ' AS o'}`,
    `WHERE ${of}day BETWEEN {{ period.start }} AND {{ period.end }}`,
    ...(filter ? [`  AND ${of}status = 'paid'`] : []),
    `  AND ${of}market = {{ market }}\n`,
  ].join('\n')
}

function metricOf(name: string, words = '[Thailand, Siam]'): string {
  const labels = name === 'gmv' ? 'GMV' : name === 'days' ? 'trading days' : `${name} order`
  return `metric: ${name}\ntitle: ${name}\naliases: [${labels}]\nsnippet: ${name}.sql\nparameters:\n  market:\n    type: enum\n    values:\n      ID: [Indonesia]\n      TH: ${words}\n  period: { type: date_range }\n`
}

function caseOf(id: string, question: string, name: string, market: string, month: string): string {
  const sql = queryOf(name)
    .replace('{{ period.start }}', `'2025-${month}-01'`)
    .replace('{{ period.end }}', `'2025-${month}-30'`)
    .replace('{{ market }}', `'${market}'`)
  return `  - id: ${id}\n    question: ${question}\n    expected_sql: ${JSON.stringify(sql)}\n`
}

/** Six metrics of one shape; `asked` are the cases. */
function shopOf(asked: readonly string[]) {
  const dir = smallProject({
    'benchmarks/gmv.yaml': `cases:\n${asked.join('')}`,
    ...Object.fromEntries(names.map((name) => [metricPath(name), metricOf(name)])),
    ...Object.fromEntries(names.map((name) => [queryPath(name), queryOf(name)])),
  })
  return { dir, git: gitRepository(dir) }
}

const plain = [
  caseOf('gmv_id', 'GMV in Indonesia in November 2025', 'gmv', 'ID', '11'),
  caseOf('gmv_th', 'GMV in Thailand in September 2025', 'gmv', 'TH', '09'),
]

describe('what one commit took out of several entries in the same way', () => {
  it('comes back in all of them as one repair, those that no case asks for are named', async () => {
    const { dir, git } = shopOf(plain)
    for (const name of names) write(dir, queryPath(name), queryOf(name, false))
    git('commit', '--quiet', '--all', '--message=tidy')
    const run = await autotest(dir, ['--yes', '--reporter', 'console'])
    expect(run.code).toBe(0)
    for (const name of names) expect(read(dir, queryPath(name))).toBe(queryOf(name))
    expect(git('log', '--format=%s').trim().split('\n')).toHaveLength(3)
    const text = run.out.replaceAll(/\s+/gu, ' ')
    expect(text).toContain('(and in 5 more entries)')
    expect(text).toMatch(/as it was before commit \w{7} \(\d{4}-\d\d-\d\d, "tidy"\), gmv matches/)
    expect(text).toMatch(
      /commit \w{7} did the same in average, days, largest, orders, smallest; no case asks for any/,
    )
  })

  it('comes back with words of a value as well, and says which of them a case asks for', async () => {
    const { dir, git } = shopOf([
      ...plain,
      caseOf('gmv_siam', 'GMV in Siam in September 2025', 'gmv', 'TH', '09'),
      caseOf('days_siam', 'trading days in Siam in September 2025', 'days', 'TH', '09'),
    ])
    for (const name of names) write(dir, metricPath(name), metricOf(name, '[Thailand]'))
    git('commit', '--quiet', '--all', '--message=tidy')
    const run = await autotest(dir, ['--yes', '--reporter', 'console'])
    expect(run.code).toBe(0)
    for (const name of names) expect(read(dir, metricPath(name))).toBe(metricOf(name))
    const text = run.out.replaceAll(/\s+/gu, ' ')
    expect(text).toMatch(/no case asks for it in average, largest, orders, smallest/)
  })

  it('stays out of an entry that was changed otherwise, since, or that somebody wrote about', async () => {
    const { dir, git } = shopOf(plain)
    for (const name of names) write(dir, queryPath(name), queryOf(name, false))
    const other = queryOf('days').replace("status = 'paid'", "status <> 'cancelled'")
    write(dir, queryPath('days'), other)
    git('commit', '--quiet', '--all', '--message=tidy')
    const since = `${queryOf('average', false)}  AND amount > 0\n`
    write(dir, queryPath('average'), since)
    write(dir, queryPath('largest'), `-- autotest: never repair\n${queryOf('largest', false)}`)
    write(
      dir,
      'kb/notes/smallest.md',
      'The smallest order counts every status, cancelled ones too: never filter on status.\n',
    )
    git('add', '--all')
    git('commit', '--quiet', '--all', '--message=later')
    const run = await autotest(dir, ['--yes', '--reporter', 'console'])
    expect(run.code).toBe(0)
    expect(read(dir, queryPath('gmv'))).toBe(queryOf('gmv'))
    expect(read(dir, queryPath('orders'))).toBe(queryOf('orders'))
    expect(read(dir, queryPath('days'))).toBe(other)
    expect(read(dir, queryPath('average'))).toBe(`${queryOf('average')}  AND amount > 0\n`)
    expect(read(dir, queryPath('largest'))).toContain(queryOf('largest', false))
    expect(read(dir, queryPath('smallest'))).toBe(queryOf('smallest', false))
    const text = run.out.replaceAll(/\s+/gu, ' ')
    expect(text).toContain('; not in largest: ')
    const id = /run (r-\w+)/.exec(run.out)?.[1]
    const report = read(dir, `reports/${id}/report.md`)
    expect(report).toContain('not in smallest: kb/notes/smallest.md:1 says "The smallest order counts')
  })

  it('is left to the plan of its own cases where a passing case relies on the change', async () => {
    const days = caseOf('days_id', 'trading days in Indonesia in November 2025', 'days', 'ID', '11')
    const { dir, git } = shopOf([
      ...plain,
      days.replace(" AND status = 'paid'", '').replace("\\n  AND status = 'paid'", ''),
    ])
    for (const name of names) write(dir, queryPath(name), queryOf(name, false))
    git('commit', '--quiet', '--all', '--message=tidy')
    const run = await autotest(dir, ['--yes', '--reporter', 'console'])
    expect(run.code).toBe(0)
    expect(read(dir, queryPath('gmv'))).toBe(queryOf('gmv'))
    for (const name of names.slice(1)) expect(read(dir, queryPath(name))).toBe(queryOf(name, false))
  })
})
