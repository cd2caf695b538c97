import { afterAll, describe, expect, it } from 'vitest'
import { type CaseReads, findCasesReadingNothing, findUnreadEntries } from '../../src/audit/entry-coverage.js'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import { snapshotOf } from '../kb/knowledge-files.js'
import { auditOf, closeDatabases, findingsOf, sqlCase } from './small-database.js'

afterAll(closeDatabases)

const metric = (name: string) =>
  `metric: ${name}\ntitle: ${name}\naliases: [${name}]\nsnippet: ${name}.sql\nparameters: {}\n`
const files = {
  'kb/metrics/gmv.yaml': metric('gmv'),
  'kb/metrics/aov.yaml': metric('aov'),
  'kb/snippets/gmv.sql': 'SELECT sum(amount) FROM orders\n',
  'kb/snippets/aov.sql': 'SELECT avg(amount) FROM orders\n',
  'kb/snippets/old.sql': 'SELECT 1\n',
  'kb/notes/money.md': 'Money is in dollars.\n',
  'kb/notes/time.md': 'Days are local.\n',
}
const gmv = sqlCase('gmv', 'gmv', 'SELECT sum(amount) FROM orders')

describe('an audit', () => {
  it('reports metrics that no case asks for and snippets that no metric names, but not the notes that this agent never reads', async () => {
    const report = await auditOf([gmv], { files })
    expect(findingsOf(report, 'unread_entry').map(({ subject, file }) => `${subject} ${file}`)).toEqual([
      'metric:aov kb/metrics/aov.yaml',
      'snippet:old.sql kb/snippets/old.sql',
    ])
  })

  it('reports cases that no entry is about, with the reason', async () => {
    const refunds = sqlCase('refunds', 'refunds', 'SELECT count(*) FROM orders')
    const report = await auditOf([gmv, refunds], { files })
    expect(findingsOf(report, 'reads_nothing').map(({ subject, text }) => `${subject}: ${text}`)).toEqual([
      'refunds: its question resolves to no entry of the knowledge base: no metric for: refunds',
    ])
  })

  it('says nothing of unread entries under a filter', async () => {
    const other = sqlCase('aov', 'aov', 'SELECT avg(amount) FROM orders')
    const report = await auditOf([gmv, other], { files, selected: [gmv] })
    expect(findingsOf(report, 'unread_entry')).toEqual([])
  })
})

describe('entries read in a run', () => {
  const kb = parseKnowledgeBase(snapshotOf(files), 'kb')
  const run = (...ids: (readonly string[] | 'all')[]) =>
    new Map(ids.map((one, at): [string, CaseReads] => [`case${at}`, { ids: one }]))

  it('count notes where any case reads one', () => {
    const read = run(['metric:gmv', 'metric:aov', 'snippet:gmv.sql', 'snippet:old.sql'], ['note:money.md'])
    expect(findUnreadEntries(kb, read).map(({ subject }) => subject)).toEqual(['note:time.md'])
  })

  it('may be any where an agent does not say', () => {
    expect(findUnreadEntries(kb, run(['metric:gmv'], 'all'))).toEqual([])
    expect(findCasesReadingNothing([sqlCase('case0', 'q', 'SELECT 1')], run('all'))).toEqual([])
  })

  it('are none for a case that answered from nothing', () => {
    expect(findCasesReadingNothing([sqlCase('case0', 'q', 'SELECT 1')], run([]))).toHaveLength(1)
  })
})
