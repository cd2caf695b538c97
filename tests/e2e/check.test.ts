import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { smallProject, userFiles } from './small-project.js'

afterAll(removeFolders)

const guide = `# Orders

See [the rules](rules.md), [this page](orders.md) and <https://example.com/x.md>.

## How many orders were paid?

\`\`\`sql
SELECT count(*)
FROM orders
WHERE statsu = 'paid' AND amuont > 0
\`\`\`

## Refunds

\`\`\`sql
SELECT count(*) FROM refnds
\`\`\`

\`\`\`sql
SELECT count(*) FROM orders WHERE status = '{{ status }}'
\`\`\`
`
const pairs = `{"question": "How many orders?", "sql": "SELECT count(*) FROM orders"}
{"question": "how many orders", "sql": "SELECT count(id) FROM orders WHERE status = 'paid'"}
{"question": "How many are paid?", "sql": "SELECT count(*) FROM orders WHERE status = 'paid'"
`

function project(): string {
  return smallProject({ 'docs/orders.md': guide, 'docs/pairs.jsonl': pairs })
}

describe('autotest check', () => {
  it('names each column and table that does not exist, with the nearest one, and writes nothing', async () => {
    const dir = project()
    const before = userFiles(dir)
    const { code, out } = await autotest(dir, ['check', 'docs'])
    expect(out).toMatch(
      /error {4}docs\/orders\.md:10:1 {2}column statsu does not exist\n +The nearest column is orders\.status/,
    )
    expect(out).toMatch(
      /error {4}docs\/orders\.md:10:1 {2}column amuont does not exist\n +The nearest column is orders\.amount/,
    )
    expect(out).toContain('docs/orders.md:16:1  table refnds does not exist')
    expect(out).toContain('warning  docs/orders.md:3:1  rules.md does not exist')
    expect(out).not.toContain('orders.md does not exist')
    expect(out).toMatch(
      /docs\/pairs\.jsonl:2:1 {2}the question "how many orders" has another query at\s+docs\/pairs\.jsonl:1/,
    )
    expect(out).toContain('docs/pairs.jsonl:3:1  not read: not valid JSON')
    expect(out).toContain('2 run · 3 bound · 0 parsed only')
    expect(out).toContain('questions in question, queries in sql')
    expect(code).toBe(1)
    expect(userFiles(dir)).toEqual(before)
  })

  it('checks against a catalogue file where there is no database, and says what it could only parse', async () => {
    const dir = project()
    expect((await autotest(dir, ['check', 'docs', '--save-catalogue', 'tables.json'])).code).toBe(1)
    const { out, code } = await autotest(dir, [
      'check',
      'docs',
      '--catalogue',
      'tables.json',
      '--dialect',
      'sqlite',
    ])
    expect(out).toContain('column statsu does not exist')
    expect(out).toContain('table refnds does not exist')
    expect(out).toContain('0 run')
    expect(code).toBe(1)
    writeFileSync(join(dir, 'autotest.config.yaml'), 'kb: docs\n')
    const parsed = await autotest(dir, ['check'])
    expect(parsed.out).toContain('0 run · 0 bound · 5 parsed only')
    expect(parsed.out).not.toContain('statsu')
    expect(parsed.code).toBe(0)
  })

  it('takes an export of information_schema, and refuses what is no catalogue', async () => {
    const dir = project()
    writeFileSync(
      join(dir, 'columns.csv'),
      'TABLE_SCHEMA,TABLE_NAME,COLUMN_NAME,DATA_TYPE\nshop,orders,id,NUMBER\nshop,orders,status,VARCHAR\n',
    )
    const { out } = await autotest(dir, [
      'check',
      'docs',
      '--catalogue',
      'columns.csv',
      '--dialect',
      'sqlite',
    ])
    expect(out).toContain('column amuont does not exist')
    const refused = await autotest(dir, ['check', 'docs', '--catalogue', 'docs/pairs.jsonl'])
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('docs/pairs.jsonl is no catalogue')
  })

  it('reads the sources that the configuration lists, each with its format', async () => {
    const dir = project()
    const config = readFileSync(join(dir, 'autotest.config.yaml'), 'utf8').replace(
      /^kb:.*$/m,
      'kb:\n  - kb\n  - { path: docs/orders.md, format: markdown }\n  - { path: docs/pairs.jsonl, format: pairs, question: question, sql: sql }',
    )
    writeFileSync(
      join(dir, 'autotest.config.yaml'),
      config.includes('docs/') ? config : `${config}kb: [kb, docs]\n`,
    )
    const { out } = await autotest(dir, ['check'])
    expect(out).toContain('2 metrics · 2 snippets')
    expect(out).toContain('markdown 1 file · pairs 1 file')
  })
})
