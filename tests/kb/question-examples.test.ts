import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
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

/** Semantic models of other projects. */
const models = '../shared/kb-formats/real/cortex'

describe.skipIf(!existsSync(models))('the verified queries of real semantic models', () => {
  it('are examples of their questions, each in its own file', () => {
    const files = readdirSync(models, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.yaml'),
    )
    const questions = files.flatMap((path) => {
      const text = readFileSync(join(models, path), 'utf8')
      const { verified_queries: verified = [] } = (parseDocument(text).toJSON() ?? {}) as {
        verified_queries?: readonly { question: string; sql?: string }[]
      }
      return verified.filter(({ sql }) => sql !== undefined).map(({ question }) => ({ path, text, question }))
    })
    expect(questions.length).toBeGreaterThan(20)
    for (const { path, text, question } of questions) {
      const file = `kb/models/${basename(path)}`
      expect(found(question, { [file]: text }), question).toMatch(new RegExp(`^${file}:\\d+$`))
      expect(found(`${question} by region`, { [file]: text }), question).toBeUndefined()
      expect(found(question, { [file]: text }, ['note:other.md']), question).toBeUndefined()
    }
  })
})
