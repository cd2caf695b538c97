import { describe, expect, it } from 'vitest'
import type { SqlTerm } from '../../../../../../src/domains/sql/repair/validate/intent/sql-terms.js'
import { mentionsOf } from '../../../../../../src/domains/sql/repair/validate/intent/term-mentions.js'

const column = (text: string): SqlTerm => ({ kind: 'name', text })
const literal = (text: string): SqlTerm => ({ kind: 'literal', text })

function mentioned(term: SqlTerm, text: string, synonyms: readonly string[] = []): string | undefined {
  const [mention] = mentionsOf(term, text, synonyms)
  return mention && text.slice(mention.start, mention.end)
}

describe('mentions of a term', () => {
  it.each([
    [column('is_spam'), 'Spam no longer counts', 'Spam'],
    [column('is_spam'), 'the is_spam filter is gone', 'is_spam'],
    [column('deleted_at'), 'without deleted accounts', 'deleted'],
    [column('deleted_at'), 'deletion of accounts', 'deletion'],
    [column('isSpam'.toLowerCase()), 'isSpam goes', 'isSpam'],
    [literal('past_due'), 'past due invoices', 'past due'],
    [literal('past_due'), 'past-due is out', 'past-due'],
    [literal('trial'), 'no trials', 'trials'],
    [literal('cancelled'), 'Cancelled orders', 'Cancelled'],
    [literal('refunded'), 'refunds are out', 'refunds'],
    [{ kind: 'keyword', text: 'distinct' }, 'count unique users', 'unique'],
    [column('avg'), 'the average order', 'average'],
    [{ kind: 'number', text: '28' }, 'a window of 28 days', '28'],
  ] as const)('%o in %s', (term, text, expected) => expect(mentioned(term, text)).toBe(expected))

  it.each([
    [column('is_spam'), 'spammer accounts are blocked'],
    [column('created_at'), 'at the top'],
    [column('order_status'), 'status of the order'],
    [literal('US'), 'give us time'],
    [literal('ID'), 'the id column'],
    [{ kind: 'number', text: '1' }, '1 more row'],
    [column('user_id'), 'every user'],
  ] as const)('%o is not in %s', (term, text) => expect(mentioned(term, text)).toBeUndefined())

  it('knows the words that a knowledge base has for a value', () => {
    expect(mentioned(literal('GB'), 'Britain left', ['Britain', 'UK'])).toBe('Britain')
  })
})
