import { describe, expect, it } from 'vitest'
import { findForbiddenText } from '../../../../../../src/domains/sql/repair/propose/llm/content-guard.js'

function problem(replace: string): string | undefined {
  return findForbiddenText(
    [{ kind: 'edit_note', path: 'kb/notes/a.md', search: 'x', replace }],
    (text) => text,
  )
}

describe('a text of a model', () => {
  it.each([
    ['a zero-width space', 'a\u200bb'],
    ['a word joiner', 'a\u2060b'],
    ['a byte order mark', '\ufeffa'],
    ['a soft hyphen', 'a\u00adb'],
    ['a joiner between Latin letters', 'a\u200db'],
    ['letters of tags', 'a\u{e0041}'],
    ['a carriage return of its own', 'shown\rhidden'],
    ['a line separator', 'a\u2028b'],
    ['a filler', 'a\u3164b'],
    ['selectors of variants that say something', 'a\ufe01\ufe02'],
    ['no character', 'a\uffffb'],
    ['text that runs backwards', 'a\u202eb'],
    ['an escape sequence', 'a\u001b[2J'],
  ])('may not contain %s', (_name, text) => {
    expect(problem(text)).toBe('kb/notes/a.md: the text contains control characters')
  })

  it.each([
    'sk-proj-AAAAAAAAAAAAAAAAAAAAAAAA',
    ['sk', 'live', 'abcdefghijklmnop1234'].join('_'),
    'ghs_abcdefghijklmnopqrstuvwxyz0123456789',
    'hf_abcdefghijklmnopqrstuvwxyzABCDEFGH',
    'ASIAIOSFODNN7EXAMPLE',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3',
    '-----BEGIN RSA PRIVATE KEY-----',
    'postgres://user:passw0rd@host/db',
  ])('may not contain the secret %s', (text) => {
    expect(problem(`key: ${text}`)).toBe('kb/notes/a.md: the text contains a secret')
  })

  it.each([
    'skus_sold_per_category_total',
    'sk_customer_dimension_id and pk_customer_dimension_id',
    'skipped_orders_last_month',
    'ghosted_customers_count',
    'hf_revenue_by_customer_and_month',
    'see http://host.example/a:b and mail to a@b.example',
    'métriques 日次 می\u200cخواهم 👩\u200d💻 1\ufe0f\u20e3',
    'one line\r\nand\tanother',
  ])('may hold %j', (text) => {
    expect(problem(text)).toBeUndefined()
  })
})
