import { expect, it } from 'vitest'
import type { KnowledgeEntry } from '../../../src/kb/entries/entry-format.js'
import { ownEntriesOf } from '../../../src/kb/nearest/own-entries.js'
import { canonicalForm, loadSqlParser } from '../../../src/sql/index.js'

const parser = await loadSqlParser()
const sql = "SELECT SUM(amount) FROM orders WHERE status = 'paid' AND country = 'DE'"
const asked = { question: 'How much revenue in DE?', expectedSql: sql }

function isHidden(question: string | undefined, text: string, titles: readonly string[] = []): boolean {
  const span = { start: 0, end: text.length }
  const entry: KnowledgeEntry = {
    ...{ id: 'a#1', kind: 'query', question, titles, path: 'a.md', line: 1, span, text, whole: span },
  }
  return ownEntriesOf(asked, [entry], (each) => canonicalForm(parser, each, 'sqlite')).length > 0
}

it.each([
  ['its question, whatever its query', 'how much REVENUE in DE', 'SELECT 1', [], true],
  ['its question as a heading', undefined, 'SELECT 1', ['How much revenue in DE'], true],
  [
    'its query in other words, beside another question',
    'Sales of Germany?',
    `${sql.replace("status = 'paid' AND country = 'DE'", "country = 'DE' AND status = 'paid'")} -- paid`,
    [],
    true,
  ],
  ['its query with another value', 'Sales of France?', sql.replace('DE', 'FR'), [], false],
  ['its query as a definition, without a question', undefined, sql, ['Revenue'], false],
] as const)('%s', (_name, question, text, titles, hidden) => {
  expect(isHidden(question, text, titles)).toBe(hidden)
})
