import { describe, expect, it } from 'vitest'
import type { KnowledgeEntry } from '../../../src/kb/entries/entry-format.js'
import { answerFromEntries, type SpellingOf } from '../../../src/kb/nearest/nearest-entry.js'
import { loadSqlParser } from '../../../src/sql/index.js'

const parser = await loadSqlParser()
const asOf = '2025-12-31'

function entry(question: string | undefined, text: string, titles: readonly string[] = []): KnowledgeEntry {
  const span = { start: 0, end: text.length }
  return {
    ...{ id: `docs.md#${question ?? titles[0]}`, kind: 'query', question, titles, path: 'docs.md' },
    ...{ line: 3, span, text, whole: span },
  }
}

async function ask(
  question: string,
  entries: readonly KnowledgeEntry[],
  spellingOf?: SpellingOf,
): Promise<string> {
  const tokensOf = (sql: string) => {
    const outcome = parser.tokenize(sql, 'sqlite')
    return outcome.kind === 'tokens' ? outcome.tokens : []
  }
  const found = await answerFromEntries(question, entries, asOf, tokensOf, spellingOf)
  return found.kind === 'answer' ? found.sql : found.message
}

const revenue = entry(
  'How much revenue did we make in DE in March 2025?',
  "SELECT SUM(amount) FROM orders WHERE status = 'paid' AND country = 'DE' AND day BETWEEN '2025-03-01' AND '2025-03-31'",
)
const cancelled = entry(
  'How many orders were cancelled in FR?',
  "SELECT COUNT(*) FROM orders WHERE status = 'cancelled' AND country = 'FR'",
)

describe('an entry that asks for the same', () => {
  it('is answered with the values and the period of the question; the definition stays', async () => {
    expect(await ask('How much revenue did we make in IT in Q2 2025?', [revenue, cancelled])).toBe(
      "SELECT SUM(amount) FROM orders WHERE status = 'paid' AND country = 'IT' AND day BETWEEN '2025-04-01' AND '2025-06-30'",
    )
  })

  it.each([
    ['Top 5 genres in Harbour', "SELECT genre FROM loans WHERE branch = 'Harbour' ORDER BY 1 LIMIT 5"],
    ['Top 3 genres in Old Town', "SELECT genre FROM loans WHERE branch = 'Old Town' ORDER BY 1 LIMIT 3"],
  ])('%s', async (question, sql) => {
    const top = entry(
      'Top 3 genres in North',
      "SELECT genre FROM loans WHERE branch = 'North' ORDER BY 1 LIMIT 3",
    )
    expect(await ask(question, [top])).toBe(sql)
  })

  it('may have no other words than its values', async () => {
    const exports = entry(
      'How many exports did we have in May 2025?',
      "SELECT COUNT(*) FROM events WHERE name = 'export' AND day >= '2025-05-01' AND day < '2025-06-01'",
    )
    expect(await ask('How many exports did we have in July 2025?', [exports])).toBe(
      "SELECT COUNT(*) FROM events WHERE name = 'export' AND day >= '2025-07-01' AND day < '2025-08-01'",
    )
    expect(await ask('How many tickets did we have?', [exports])).toContain('no entry')
  })

  it('is found by a comment or a heading where it has no question', async () => {
    const users = entry(undefined, "SELECT COUNT(DISTINCT id) FROM events WHERE plan = 'team'", [
      'active users on the team plan',
      'Active users',
    ])
    const message = await ask('How many users are on the free plan?', [users])
    expect(await ask('active users on the free plan', [users])).toBe(
      "SELECT COUNT(DISTINCT id) FROM events WHERE plan = 'free'",
    )
    // "active" is no word of the query: the author's words decide what it is about.
    expect(message).toBe("SELECT COUNT(DISTINCT id) FROM events WHERE plan = 'free'")
  })

  it('has its value as the data spell it, and none that the data do not have', async () => {
    const stored: SpellingOf = async (_sql, _text, value) => (value.toLowerCase() === 'it' ? 'IT' : 'absent')
    expect(await ask('How many orders were cancelled in IT?', [cancelled], stored)).toContain(
      "country = 'IT'",
    )
    expect(await ask('How many orders were cancelled in Mars?', [cancelled], stored)).toBe(
      `no row has "Mars" where docs.md:3 has 'FR'`,
    )
  })
})

describe('a question that no entry covers is not answered', () => {
  it.each([
    [
      'a part of the question that the entry is not about',
      'How much revenue did we make in DE in March 2025 per channel?',
      /no entry covers: per channel/,
    ],
    [
      'a condition of the entry that is not asked for',
      'How many orders in FR?',
      /no entry covers: cancelled/,
    ],
    [
      'no period where the entry has one',
      'How much revenue did we make in DE?',
      /no entry covers: in March 2025/,
    ],
    [
      'a period where the entry has none',
      'How many orders were cancelled in FR in May 2025?',
      /no entry covers: in May 2025/,
    ],
    ['another subject', 'Which doctors work on Sundays?', /no entry is about: doctors, work, sundays/],
  ])('%s', async (_name, question, message) => {
    expect(await ask(question, [revenue, cancelled])).toMatch(message)
  })

  it('nor one that two entries answer differently', async () => {
    const other = entry(
      'How many orders were cancelled in FR?',
      "SELECT COUNT(id) FROM orders WHERE status = 'refunded' AND country = 'FR' AND 'cancelled' <> ''",
    )
    expect(await ask('How many orders were cancelled in IT?', [cancelled, other])).toContain(
      'two entries answer it differently',
    )
  })

  it('nor from a template or a statement that changes something', async () => {
    const template = entry('How many orders?', 'SELECT COUNT(*) FROM {{ orders }}')
    expect(await ask('How many orders?', [template])).toContain('no entry is about')
  })
})
