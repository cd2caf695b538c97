import { expect, it } from 'vitest'
import { collectRemarks } from '../../../src/kb/claims/documentation-remarks.js'
import { parseKnowledgeBase } from '../../../src/kb/parse.js'
import { readText } from '../../../src/snapshot/snapshot.js'
import { snapshotOf } from '../knowledge-files.js'

function remarks(title: string, note: string): string[] {
  const snapshot = snapshotOf({
    'kb/metrics/a.yaml': `metric: a\ntitle: ${title}\nsnippet: a.sql # beside "it"\n# of its own\n`,
    'kb/snippets/a.sql': 'SELECT 1',
    'kb/notes/n.md': note,
  })
  const found = collectRemarks(parseKnowledgeBase(snapshot, 'kb'), (path) => readText(snapshot, path) ?? '')
  return found.map(({ from, text }) => `${from}: ${text.trim()}`)
}

it('remarks are paragraphs and list items of notes, comments and titles', () => {
  expect(remarks('A title', '# Head\n\none\ntwo\n\n  - item\n  1. other\n')).toEqual([
    'note: # Head',
    'note: one two',
    'note: - item',
    'note: 1. other',
    'comment: beside "it"',
    'comment: of its own',
    'title: A title',
  ])
})

it('remarks of a file with a line without end, or with blank lines without end, are found at once', () => {
  expect(remarks('word '.repeat(100_000).trim(), `a${'\n'.repeat(200_000)}b`)).toHaveLength(5)
})
