import { smallProject } from './small-project.js'

export const notePath = 'kb/notes/sales.md'

/** A note whose fences an agent copies, with the values of a question put into them. */
export const goodNote = `# Sales

How we answer questions about sales.

## Paid revenue

Also called: takings.

\`\`\`sql
SELECT sum(amount) AS revenue
FROM orders
WHERE day BETWEEN '2025-10-01' AND '2025-10-31'
  AND status = 'paid'
  AND market = 'VN'
\`\`\`

## Number of orders

\`\`\`sql
SELECT count(*) AS orders
FROM orders
WHERE market = 'VN'
  AND day BETWEEN '2025-10-01' AND '2025-10-31'
\`\`\`
`

/** The note after somebody deleted one line of one fence. */
export const driftedNote = goodNote.replace("  AND status = 'paid'\n", '')

/** A module agent that copies the fence below the heading that fits the question, with the values of the question. */
export function fenceAgent(reads: 'declares what it read' | 'declares nothing'): string {
  const read = reads === 'declares what it read' ? ", read: ['note:sales.md']" : ''
  return `import { readFileSync } from 'node:fs'
const months = { October: ['10', '31'], November: ['11', '30'], December: ['12', '31'] }
export default ({ question, kb }) => {
  const sections = readFileSync(kb + '/notes/sales.md', 'utf8').split(/^## /m).slice(1)
  const word = /revenue|takings/i.test(question) ? 'Paid revenue' : 'Number of orders'
  const fence = sections.find((text) => text.startsWith(word)).match(/\`\`\`sql\\n([^]*?)\`\`\`/)[1]
  const [, market] = /\\b(ID|TH|VN)\\b/.exec(question)
  const [month, last] = months[/October|November|December/.exec(question)[0]]
  const sql = fence
    .replaceAll("'VN'", "'" + market + "'")
    .replaceAll('2025-10-01', '2025-' + month + '-01')
    .replaceAll('2025-10-31', '2025-' + month + '-' + last)
  return { type: 'sql', sql${read} }
}
`
}

export function revenueCase(id: string, question: string, market: string, from: string, to: string): string {
  return `  - id: ${id}
    question: ${question}
    expected_sql: >-
      SELECT sum(amount) AS revenue FROM orders WHERE market = '${market}' AND status = 'paid' AND day BETWEEN '${from}' AND '${to}'
`
}

const twoBindings = [
  revenueCase('revenue_id', 'ID revenue in November 2025', 'ID', '2025-11-01', '2025-11-30'),
  revenueCase(
    'takings_th',
    'What were the takings of TH in December 2025?',
    'TH',
    '2025-12-01',
    '2025-12-31',
  ),
].join('')

const ordersCase = `  - id: orders_id
    question: orders of ID in November 2025
    expected_sql: SELECT count(*) AS orders FROM orders WHERE market = 'ID' AND day BETWEEN '2025-11-01' AND '2025-11-30'
`

/** A project whose knowledge is one note, and whose agent is a JavaScript file that reads it. */
export function noteProject(
  changes: Readonly<Record<string, string | null>> = {},
  config = '',
  cases = twoBindings,
): string {
  return smallProject({
    'autotest.config.yaml': `engine: sqlite:shop.sqlite
as_of: 2025-12-31
agent: { kind: module, path: agents/fences.mjs, deterministic: true }
${config}`,
    'benchmarks/gmv.yaml': `cases:\n${cases}${ordersCase}`,
    'agents/fences.mjs': fenceAgent('declares what it read'),
    'kb/metrics/gmv.yaml': null,
    'kb/metrics/orders.yaml': null,
    'kb/snippets/gmv.sql': null,
    'kb/snippets/orders.sql': null,
    [notePath]: driftedNote,
    ...changes,
  })
}
