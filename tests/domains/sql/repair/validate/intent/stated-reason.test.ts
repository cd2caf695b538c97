import { describe, expect, it } from 'vitest'
import { stemsOf } from '../../../../../../src/domains/sql/repair/validate/intent/changed-words.js'
import {
  isUnread,
  reasonStated,
  sentencesOf,
  statesReason,
} from '../../../../../../src/domains/sql/repair/validate/intent/stated-reason.js'

/** What the query, its path and its metric have: the edit removed `status = 'paid'` and `region = {{ region }}`. */
const stems = new Set(
  stemsOf(
    'kb snippets gmv.sql gmv gross merchandise value select sum amount from orders where status paid region is_test',
  ),
)

function holds(message: string): boolean {
  const [subject = '', ...body] = message.split('\n')
  return statesReason({ subject, body: body.join('\n') }, { stems })
}

describe('a message that only names the edit gives no reason', () => {
  it.each([
    'Remove the condition on region',
    'drop region',
    'Refactor',
    'Refactor the gmv query',
    'Try autotest',
    'wip',
    'Update gmv.sql (#77)',
    'gmv: drop the status filter',
    'paid -> all',
    'rename amount -> gross_amount',
    'drop status, region',
    'add is_test to the where clause',
    'chore: tidy up',
    'Initial commit',
    'fix typo',
    "Merge branch 'main' of example.com:data/kb",
    'refactor(kb): simplify snippets\n\nNo functional change intended.',
    '',
    '修复',
    'WIP do not merge',
    'Small improvements\n\n- faster\n- easier to read\n\nCo-authored-by: A <a@example.com>',
  ])('%s', (message) => expect(holds(message)).toBe(false))
})

it('is quoted whole: a dot ends a sentence only before a new one', () => {
  expect(
    sentencesOf('To a tenth, more is not measured (handbook p. 14). Board agreed. v1.2 of e.g. the form'),
  ).toEqual(['To a tenth, more is not measured (handbook p. 14)', 'Board agreed. v1.2 of e.g. the form'])
})

describe('a reason goes beyond the edit', () => {
  it.each([
    'Remove the condition on region because finance reports all of them',
    'drop status (agreed with finance)',
    'gmv: net → with shipping',
    'paid orders above 45, new tariff',
    'skip test orders - board meeting 12/9',
    'GMV: cancelled orders count too, status is no longer filtered (finance)',
    'feat(gmv): all regions',
    'Revert "gmv: only paid orders"',
    'fix: count only paid orders',
    'drop is_test, test orders are real since the migration',
    'gmv without region (FIN-812)',
    'FIN-812',
    'Orders are counted when they are placed',
    'drop region\n\nThe board wants to see the whole group.',
    'Paid orders only',
    'Follow the IFRS definition of orders',
    'Match the numbers in the annual report',
    'Protocol 2025',
  ])('%s', (message) => expect(holds(message)).toBe(true))
})

describe('whether a message gives a reason', () => {
  const unread = (message: string): boolean => isUnread({ subject: message }, { stems })

  it.each([
    '删除状态过滤',
    'GMV：取消的订单也算，财务要求',
    'fix: 取消的订单也算进 GMV',
    '注文はキャンセルも含める',
    'Учитывать отменённые заказы, так решили финансы',
    'Stornierte Aufträge zählen jetzt mit',
    'nach Absprache mit Vertrieb: Stornos zaehlen',
    'Les commandes annulées comptent aussi (demande de la finance)',
    'Stornierte Auftr\uFFFDge z\uFFFDhlen mit',
    '\uFFFD\uFFFD\uFFFD\uFFFD',
  ])('is unknown in another language: %s', (message) => expect(unread(message)).toBe(true))

  it.each([
    '',
    'wip',
    '修复',
    'Исправить фильтр',
    'lol oops',
    'Try autotest',
    'Remove status filter',
    'hotfix friday evening deploy',
    'Bump sqlfluff 3.1',
    'Update kb/snippets/gmv.sql (#77)',
    'select sum amount status paid orders',
    'Drop the 北京 市 区 rows, they are tests',
    "Merge branch 'prüfung-der-aufträge' of example.com:data/kb",
  ])('is known of English, and of what is too short to say one: %s', (message) =>
    expect(unread(message)).toBe(false),
  )
})

it.each([
  'Align revenue with the annual report',
  'Make revenue match the till report',
  'Bring revenue into line with the ledger',
  'Reconcile revenue with accounting',
  'Sales (privacy)',
  'A sale is revenue',
])('agreement with a named source, an aside and a claim about the entry are reasons: %s', (subject) =>
  expect(reasonStated({ subject }, { stems: new Set(['revenu', 'sale']) })).toBe(subject),
)

it.each(['Align indentation', 'Match column order', 'without', 'sales'])('these are none: %s', (subject) =>
  expect(reasonStated({ subject }, { stems: new Set(['revenu', 'sale']) })).toBeUndefined(),
)

it('the line with the ticket is quoted', () => {
  const message = { subject: 'Update sales query', body: 'A change.\n\nCloses #88' }
  expect(reasonStated(message, { stems: new Set(['sale']) })).toBe('Closes #88')
})
