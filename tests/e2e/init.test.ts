import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { read, smallProject, userFiles } from './small-project.js'

afterAll(removeFolders)

const guide = `# Orders

### How many orders does ID have?

\`\`\`sql
SELECT count(*) AS orders
FROM orders
WHERE market = 'ID'
\`\`\`

### How many orders does TH have?

\`\`\`sql
SELECT count(*) AS orders
FROM orders
WHERE market = 'TH'
\`\`\`
`
const bare = {
  'autotest.config.yaml': null,
  'benchmarks/gmv.yaml': null,
  'kb/metrics/gmv.yaml': null,
  'kb/metrics/orders.yaml': null,
  'kb/snippets/gmv.sql': null,
  'kb/snippets/orders.sql': null,
}

it('writes a configuration and a benchmark of what a folder has, and runs once', async () => {
  const dir = smallProject({ ...bare, 'docs/orders.md': guide })
  const { code, out } = await autotest(dir, ['init', '--yes'])
  expect(out).toContain('database sqlite:shop.sqlite')
  expect(out).toContain('wrote benchmarks/imported.yaml')
  expect(out).toContain('total=2 passed=2')
  // Each is answered from the other one.
  expect(out).toContain('asked_honestly=2')
  expect(code).toBe(0)
  expect(read(dir, 'autotest.config.yaml')).toContain('kb: docs/orders.md')
  expect((await autotest(dir, ['--no-repair'])).code).toBe(0)
})

it('writes nothing without --yes, and never over a file', async () => {
  const dir = smallProject({ ...bare, 'docs/orders.md': guide })
  const before = userFiles(dir)
  const { code, out } = await autotest(dir, ['init'])
  expect(out).toContain('Nothing was written')
  expect(code).toBe(0)
  expect(userFiles(dir)).toEqual(before)
  const configured = smallProject({ 'docs/orders.md': guide })
  const { code: refused, err } = await autotest(configured, ['init', '--yes'])
  expect(err).toContain('autotest.config.yaml exists')
  expect(refused).toBe(2)
})

it('names questions with two queries, and makes no case of them', async () => {
  const pairs =
    '{"question": "How many orders?", "sql": "SELECT count(*) FROM orders"}\n{"question": "How many orders", "sql": "SELECT count(id) FROM orders"}\n{"question": "How many markets?", "sql": "SELECT count(DISTINCT market) FROM orders"}\n'
  const dir = smallProject({ ...bare, 'golden.jsonl': pairs })
  const { out } = await autotest(dir, ['init', '--yes'])
  expect(out).toContain(
    'no case: golden.jsonl:1 and golden.jsonl:2 answer one question with different queries',
  )
  expect(out).toContain('total=1')
})

it('says what to do where there is nothing to answer from', async () => {
  const dir = smallProject({ ...bare, 'README.md': '# Analytics\n' })
  const { code, err } = await autotest(dir, ['init', '--yes'])
  expect(err).toContain('no question with its query was found')
  expect(code).toBe(2)
  expect(existsSync(join(dir, 'autotest.config.yaml'))).toBe(false)
})
