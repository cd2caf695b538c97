import { describe, expect, it } from 'vitest'
import type { EntriesRead } from '../../src/contracts/agent-answer.js'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import { findOwnExample } from '../../src/kb/question-examples.js'
import { createSnapshot } from '../../src/snapshot/snapshot.js'

function found(question: string, files: Readonly<Record<string, string>>, read: EntriesRead = 'all') {
  const snapshot = createSnapshot(
    new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
  )
  return findOwnExample(question, read, snapshot, parseKnowledgeBase(snapshot, 'kb'), 'kb')
}

const note = `# Support

## Tickets

Also called: requests, enquiries.

Example: Tickets in the US in November 2025

\`\`\`sql
SELECT count(*) FROM tickets
WHERE country = 'US' AND day >= '2025-11-01'
\`\`\`
`
const verified = `name: shop
verified_queries:
  - name: deals at risk
    question: Which opportunities are at risk
      of closing late
    sql: |
      -- one row
      WITH late AS (SELECT * FROM deals) SELECT count(*) FROM late
`

describe('a question that stands beside a query', () => {
  it.each([
    [
      'an example in a note',
      'tickets  in the US, in November 2025?',
      { 'kb/notes/a.md': note },
      'kb/notes/a.md:7',
    ],
    [
      'a verified query',
      'Which opportunities are at risk of closing late?',
      { 'kb/models/shop.yaml': verified },
      'kb/models/shop.yaml:4',
    ],
    [
      'a question as heading',
      'How many users are there?',
      { 'kb/notes/a.md': '## How many users are there?\n\n```\nselect count(*) from users\n```\n' },
      'kb/notes/a.md:1',
    ],
    [
      'a row of a table',
      'users in 2025',
      { 'kb/notes/a.md': '| users in 2025 | `SELECT count(*) FROM users WHERE year = 2025` |\n' },
      'kb/notes/a.md:1',
    ],
    [
      'a list of questions and answers',
      'How many users?',
      {
        'kb/x.yaml':
          'shots:\n  - role: user\n    content: How many users?\n  - role: assistant\n    content: SELECT count(*) FROM users\n',
      },
      'kb/x.yaml:3',
    ],
    [
      'a comment above a query that no metric uses',
      'users in 2025',
      { 'kb/snippets/a.sql': '-- users in 2025\nSELECT count(*) FROM users WHERE year = 2025\n' },
      'kb/snippets/a.sql:1',
    ],
  ] as const)('is found: %s', (_what, question, files, place) => {
    expect(found(question, files)).toBe(place)
  })

  it.each([
    ['another question', 'tickets in the US', { 'kb/notes/a.md': note }],
    ['the name of a definition', 'tickets', { 'kb/notes/a.md': note }],
    ['another name of it', 'enquiries', { 'kb/notes/a.md': note }],
    [
      'a question without a query',
      'How many users?',
      { 'kb/notes/a.md': 'How many users?\n\nWe select them from a list.\n' },
    ],
    [
      'a query below another heading',
      'How many users?',
      { 'kb/notes/a.md': '# How many users?\n\n# Tickets\n\n```sql\nSELECT 1 FROM t\n```\n' },
    ],
    [
      'a query with placeholders',
      'How many users?',
      { 'kb/notes/a.md': '# How many users?\n\n```sql\nSELECT count(*) FROM t WHERE y = {{ year }}\n```\n' },
    ],
    [
      'the query of a metric',
      'How many users?',
      {
        'kb/metrics/users.yaml': 'metric: users\naliases: [How many users?]\nsnippet: users.sql\n',
        'kb/snippets/users.sql': '-- How many users?\nSELECT count(*) FROM users\n',
      },
    ],
    ['a file outside the knowledge base', 'tickets in the US in November 2025', { 'docs/a.md': note }],
  ] as const)('is not %s', (_what, question, files) => {
    expect(found(question, files)).toBeUndefined()
  })

  it('counts where the agent read it', () => {
    const files = { 'kb/notes/a.md': note, 'kb/notes/b.md': '# Other\n' }
    const question = 'tickets in the US in November 2025'
    expect(found(question, files, ['note:b.md'])).toBeUndefined()
    expect(found(question, files, ['note:b.md', 'note:a.md'])).toBe('kb/notes/a.md:7')
    expect(
      found('which opportunities are at risk of closing late', { 'kb/models/shop.yaml': verified }, [
        'model:shop.yaml',
      ]),
    ).toBe('kb/models/shop.yaml:4')
  })
})
