import { expect, it } from 'vitest'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import { searchKnowledge } from '../../src/kb/search.js'
import { snapshotOf } from './knowledge-files.js'

const kb = parseKnowledgeBase(
  snapshotOf({
    'kb/metrics/gmv.yaml': 'metric: gmv\ntitle: Gross merchandise value\naliases: [GMV]\nsnippet: gmv.sql\n',
    'kb/snippets/gmv.sql': 'SELECT sum(amount) FROM orders\n',
    'kb/metrics/orders.yaml':
      'metric: orders\ntitle: Orders\naliases: [orders, purchases]\nsnippet: orders.sql\n',
    'kb/snippets/orders.sql': 'SELECT count(*) FROM orders\n',
    'kb/snippets/idle.sql': 'SELECT 1 AS refunds\n',
    'kb/notes/orders.md': 'Test orders never count.\n',
  }),
  'kb',
)

const first = (question: string, most = 9) => searchKnowledge(kb, question, most).map(({ ids }) => ids[0])

it('words for a metric weigh more than words in its SQL, and bring its snippet along', () => {
  expect(searchKnowledge(kb, 'how many orders?', 1)).toEqual([
    {
      ids: ['metric:orders', 'snippet:orders.sql'],
      paths: ['kb/metrics/orders.yaml', 'kb/snippets/orders.sql'],
      score: 1,
    },
  ])
  expect(first('GMV in November')[0]).toBe('metric:gmv')
})

it('finds notes and snippets of no metric', () => {
  expect(first('test orders')).toContain('note:orders.md')
  expect(first('refunds')).toEqual(['snippet:idle.sql'])
})

it('takes any question: quotes, operators, nothing', () => {
  expect(first('"orders" AND (NOT *) NEAR')[0]).toBe('metric:orders')
  expect(first('?!')).toEqual([])
})
