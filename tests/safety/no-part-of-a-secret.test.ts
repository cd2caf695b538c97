import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../src/text/secrets.js'

const key = 'sk-live-9f8E7d6c5B4a3Q2wXy'
const clean = createRedactor({ MODEL_API_KEY: key, PATH: '/usr/bin' })
const reversed = (text: string): string => [...text].reverse().join('')
const each = (text: string, write: (character: string) => string): string => [...text].map(write).join('')
const code = (character: string, base = 16): string => character.charCodeAt(0).toString(base)

/** The letters and digits of the secret, of which six in a row, in either direction, must not be read from what is left. */
const letters = key.replaceAll(/[^a-z\d]/gi, '').toLowerCase()
const parts = Array.from({ length: letters.length - 5 }, (_, at) => letters.slice(at, at + 6))
const reveals = (text: string): boolean => {
  const plain = text.toLowerCase().replaceAll(/[^a-z\d]/g, '')
  return parts.some((part) => plain.includes(part) || plain.includes(reversed(part)))
}

const fragments = [
  key,
  key.slice(0, 14),
  key.slice(4, 16),
  key.slice(-9),
  key.slice(-8, -2),
  key.slice(8, 15),
]

/** Ways to write a text, and to read it again. */
const ways: readonly (readonly [string, (text: string) => string, (text: string) => string])[] = [
  ['as it is', (text) => text, (text) => text],
  ['in capitals', (text) => text.toUpperCase(), (text) => text],
  ['in small letters', (text) => text.toLowerCase(), (text) => text],
  ['split by spaces', (text) => each(text, (one) => `${one} `), (text) => text],
  ['split by lines', (text) => text.replace(/.{3}/g, '$&\n  > '), (text) => text],
  ['split by zero-width spaces', (text) => each(text, (one) => `${one}\u200b`), (text) => text],
  ['split by soft hyphens', (text) => each(text, (one) => `${one}\u00ad`), (text) => text],
  ['as a list of JSON', (text) => JSON.stringify([...text]), (text) => text],
  [
    'as an address',
    (text) => each(text, (one) => `%${code(one)}`),
    (text) => decodeURIComponent(safely(text)),
  ],
  [
    'escaped in JSON',
    (text) => each(text, (one) => `\\u00${code(one)}`),
    (text) => text.replaceAll(/\\u([\da-f]{4})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ],
  [
    'escaped in a language',
    (text) => each(text, (one) => `\\x${code(one)}`),
    (text) => text.replaceAll(/\\x([\da-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ],
  [
    'escaped in a page',
    (text) => each(text, (one) => `&#${one.charCodeAt(0)};`),
    (text) => text.replaceAll(/&#(\d+);/g, (_, decimal) => String.fromCharCode(Number(decimal))),
  ],
  ...[0, 1, 2].flatMap((before): (typeof ways)[number][] => [
    [
      `in base64 behind ${before} bytes`,
      (text) => Buffer.from(`${'u'.repeat(before)}${text}`).toString('base64'),
      (text) => Buffer.from(text.replaceAll('*', ''), 'base64').toString('latin1'),
    ],
    [
      `in base64 for addresses behind ${before} bytes`,
      (text) => Buffer.from(`${'?'.repeat(before)}${text}`).toString('base64url'),
      (text) => Buffer.from(text.replaceAll('*', ''), 'base64url').toString('latin1'),
    ],
  ]),
  [
    'in lines of base64',
    (text) => Buffer.from(text).toString('base64').replace(/.{5}/g, '$&\n'),
    (text) => Buffer.from(text.replaceAll('*', ''), 'base64').toString('latin1'),
  ],
  [
    'in hexadecimal',
    (text) => Buffer.from(text).toString('hex'),
    (text) => Buffer.from(text, 'hex').toString('latin1'),
  ],
  [
    'in hexadecimal with colons',
    (text) => each(text, (one) => `${code(one).toUpperCase()}:`),
    (text) => Buffer.from(text.replaceAll(':', ''), 'hex').toString('latin1'),
  ],
]

function safely(text: string): string {
  return text.replaceAll(/%(?![\da-f]{2})/gi, '')
}

describe('no six characters of a secret are left', () => {
  it.each(ways)('%s, in both directions', (_, write, read) => {
    for (const fragment of fragments)
      for (const text of [fragment, reversed(fragment)]) {
        const said = `the key ${write(text)} is wrong`
        expect(reveals(said) || reveals(read(write(text)))).toBe(true)
        const shown = clean(said)
        expect(shown).toContain('***')
        expect([reveals(shown), reveals(read(shown.slice(8, -9)))], `${said} → ${shown}`).toEqual([
          false,
          false,
        ])
      }
  })

  it('of a text that is encoded and then reversed', () => {
    expect(clean(reversed(Buffer.from(key).toString('base64')))).not.toMatch(/[a-z\d]{8}/i)
  })

  it('in what is written around it, nothing else goes', () => {
    const text = 'GMV of 2025-11-30 is 9876543.21; see SHOP-12 and commit 0123456789abcdef (%20, \\n, &amp;)'
    expect(clean(text)).toBe(text)
  })
})

describe('ordinary text', () => {
  it.each([
    ['correct-horse-battery-staple', 'the battery of a horse was correct, 4 staples'],
    ['my-production-2025', 'production in 2025, introduction to products'],
    ['shop:2025-11-30', "WHERE day = '2025-11-29' AND shop = 'x'"],
  ])('stays beside the secret %s: %s', (secret, text) => {
    expect(createRedactor({ DB_PASSWORD: secret })(text)).toBe(text)
  })

  it('stays beside an address that a program is given', () => {
    const text = 'http://localhost:8080/other'
    expect(createRedactor({ SERVICE_URL: 'http://localhost:8080/v1' })(text)).toBe(text)
  })
})
