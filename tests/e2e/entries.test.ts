import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { gitRepository, read, smallProject, userFiles, write } from './small-project.js'

afterAll(removeFolders)

const guide = `# Orders

### What was the revenue of VN in October 2025?

\`\`\`sql
SELECT sum(amount) AS revenue
FROM orders
WHERE market = 'VN'
  AND status = 'paid'
  AND day BETWEEN '2025-10-01' AND '2025-10-31'
\`\`\`
`
const pairs = `{"question": "What was the revenue of VN in October 2025?", "sql": "SELECT sum(amount) AS revenue FROM orders WHERE market = 'VN' AND status = 'paid' AND day BETWEEN '2025-10-01' AND '2025-10-31'"}
{"question": "How many orders does TH have?", "sql": "SELECT count(*) FROM orders WHERE market = 'TH'"}
`
const expected = (market: string, from: string, to: string): string =>
  JSON.stringify(
    `SELECT sum(amount) AS revenue FROM orders WHERE status = 'paid' AND market = '${market}' AND day >= '${from}' AND day <= '${to}'`,
  )
const benchmark = `cases:
  - { id: id_november, question: What was the revenue of ID in November 2025?, expected_sql: ${expected('ID', '2025-11-01', '2025-11-30')} }
  - { id: th_december, question: What was the revenue of TH in December 2025?, expected_sql: ${expected('TH', '2025-12-01', '2025-12-31')} }
  - { id: vn_october, question: What was the revenue of VN in October 2025?, expected_sql: ${expected('VN', '2025-10-01', '2025-10-31')} }
`

function project(path: string, text: string, kb: string): string {
  return smallProject({
    'autotest.config.yaml': `engine: sqlite:shop.sqlite\nas_of: 2025-12-31\nkb: ${kb}\n`,
    'benchmarks/gmv.yaml': benchmark,
    'kb/metrics/gmv.yaml': null,
    'kb/metrics/orders.yaml': null,
    'kb/snippets/gmv.sql': null,
    'kb/snippets/orders.sql': null,
    [path]: text,
  })
}

const run = ['--no-commit', '-o', 'out.json']

function reportOf(dir: string) {
  return JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8')) as {
    readonly summary: {
      readonly passed: number
      readonly honest: { readonly asked: number; readonly of: number }
    }
    readonly repairs: readonly { readonly grade: string }[]
  }
}

describe.each([
  ['a Markdown folder', 'docs/orders.md', guide, "  AND status = 'paid'\n", 'docs'],
  [
    'AGENTS.md that the configuration names',
    'AGENTS.md',
    guide.replaceAll('\n', '\r\n'),
    "  AND status = 'paid'\r\n",
    'AGENTS.md',
  ],
  ['JSON lines', 'golden/pairs.jsonl', pairs, " AND status = 'paid'", 'golden'],
])('%s', (_name, path, text, filter, kb) => {
  it('is scored by its own agent, with the own entry of a case hidden', async () => {
    const dir = project(path, text, kb)
    const { code, out } = await autotest(dir, run)
    expect(out).toContain("answered by autotest's own agent, not yours")
    expect(out).toContain(`vn_october: answered from its own example (${path}:`)
    expect(out).toContain('asked_honestly=2')
    expect(reportOf(dir).summary).toMatchObject({ passed: 3, honest: { asked: 2, of: 3 } })
    expect(code).toBe(0)
  })

  it('is repaired in its own bytes, and revert gives the drifted bytes back', async () => {
    const dir = project(path, text, kb)
    const git = gitRepository(dir)
    write(dir, path, text.replace(filter, ''))
    git('commit', '--quiet', '--all', '--message=tidy')
    const before = userFiles(dir)
    const { code } = await autotest(dir, run)
    expect(reportOf(dir).repairs).toHaveLength(1)
    expect(read(dir, path)).toBe(text)
    expect(code).toBe(0)
    expect((await autotest(dir, ['revert', 'last'])).code).toBe(0)
    const { 'out.json': _report, ...after } = userFiles(dir)
    expect(after).toEqual(before)
  })

  it('is repaired without a history, by a search', async () => {
    const dir = project(path, text.replace(filter, ''), kb)
    expect((await autotest(dir, run)).code).toBe(0)
    expect(read(dir, path)).toContain("status = 'paid'")
  })

  it('keeps what somebody changed with a reason', async () => {
    const dir = project(path, text, kb)
    const git = gitRepository(dir)
    const changed = text.replace(filter, '')
    write(dir, path, changed)
    git(
      'commit',
      '--quiet',
      '--all',
      '--message=Count unpaid orders as revenue\n\nFinance decided in May that orders count when they are placed, because invoices are sent at once.',
    )
    const { code, out } = await autotest(dir, run)
    expect(out).toContain('conflicting intent')
    expect(read(dir, path)).toBe(changed)
    expect(code).toBe(1)
  })
})

describe('what is not knowledge that can be answered from', () => {
  it('is no silent success: without a query the run does not start', async () => {
    const dir = project('docs/orders.md', '# Orders\n\nAsk the data team.\n', 'docs')
    const { code, err } = await autotest(dir, run)
    expect(err).toContain('docs: no query was found to answer from')
    expect(code).toBe(2)
  })

  it('is named with file and line, and the rest is used', async () => {
    const broken = `${guide}\n### How many orders are there?\n\n\`\`\`sql\nSELECT count(*) FROM orders\n`
    const dir = project('docs/orders.md', broken, 'docs')
    const { code, err } = await autotest(dir, run)
    expect(err).toContain('docs/orders.md:15  not read: a fence without an end')
    expect(code).toBe(0)
  })
})

it('a copy of the benchmark as knowledge is not asked honestly', async () => {
  const copy = [
    ['What was the revenue of ID in November 2025?', JSON.parse(expected('ID', '2025-11-01', '2025-11-30'))],
  ]
    .map(([question, sql]) => JSON.stringify({ question, sql }))
    .join('\n')
  const dir = project('golden/pairs.jsonl', copy, 'golden')
  await autotest(dir, ['--id', 'id_november', ...run])
  expect(reportOf(dir).summary.honest).toEqual({ asked: 0, of: 1 })
})
