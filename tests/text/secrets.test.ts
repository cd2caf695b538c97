import { describe, expect, it } from 'vitest'
import {
  createRedactor,
  headerProblem,
  hideVariables,
  placesOfSecrets,
  redact,
} from '../../src/text/secrets.js'

describe('redact', () => {
  it.each(['OPENAI_API_KEY', 'GH_TOKEN', 'DB_PASSWORD', 'CLIENT_SECRET', 'my_api_key'])(
    'blacks out the value of %s',
    (name) => {
      expect(redact('401 for hunter2-hunter2!', { [name]: 'hunter2-hunter2' })).toBe('401 for ***!')
    },
  )

  it.each([
    'TOKEN',
    'PASSWORD',
    'SNOWSQL_PWD',
    'GITHUB_PAT',
    'DB_PASS',
    'PGPASSWORD',
    'pgpassword',
    'SSHPASS',
  ])('blacks out the value of %s too', (name) => {
    expect(redact('401 for hunter2-hunter2!', { [name]: 'hunter2-hunter2' })).toBe('401 for ***!')
  })

  it.each(['PWD', 'OLDPWD', 'MONKEY', 'COMPASS', 'KEYBOARD'])('leaves the value of %s alone', (name) => {
    expect(redact('in /home/me/shop2', { [name]: '/home/me/shop2' })).toBe('in /home/me/shop2')
  })

  it.each([
    ['in capitals', 'SK-LIVE-9F8E7D6C5B4A'],
    ['in small letters', 'sk-live-9f8e7d6c5b4a'],
    ['backwards', 'a4b5c6d7e8f9-evil-ks'],
    ['in hexadecimal', Buffer.from('sk-live-9f8e7d6c5B4a').toString('hex')],
    ['in hexadecimal capitals', Buffer.from('sk-live-9f8e7d6c5B4a').toString('hex').toUpperCase()],
    ['by its last eight characters', '7d6c5B4a'],
  ])('blacks out a secret %s', (_, form) => {
    const key = form === 'a4b5c6d7e8f9-evil-ks' ? 'sk-live-9f8e7d6c5b4a' : 'sk-live-9f8e7d6c5B4a'
    expect(redact(`key …${form}.`, { X_KEY: key })).toBe('key …***.')
  })

  it('leaves words alone that end as a secret does', () => {
    expect(redact('an introduction, …oduction', { X_KEY: 'my-production' })).toBe('an introduction, …***')
  })

  it('leaves other variables and short values alone', () => {
    expect(redact('path is /usr/local/bin', { PATH: '/usr/local/bin', X_KEY: 'usr' })).toBe(
      'path is /usr/local/bin',
    )
  })

  it('takes a short value of letters and digits for a secret, and a short word for none', () => {
    expect(redact('Bearer sk-1234 of ollama', { A_KEY: 'sk-1234', B_KEY: 'ollama' })).toBe(
      'Bearer *** of ollama',
    )
  })

  it('blacks out a secret that contains another one as a whole', () => {
    const env = { A_KEY: 'abcdefgh', B_KEY: 'abcdefgh-ijkl' }
    expect(redact('abcdefgh-ijkl abcdefgh', env)).toBe('*** ***')
  })

  it('blacks out passwords of URLs, encoded or not, and keeps the rest of the URL', () => {
    expect(redact('postgres://me:s3cret@host/db and mysql://u:p@ss@h', {})).toBe(
      'postgres://me:***@host/db and mysql://u:***@h',
    )
    expect(redact('duckdb:data/shop.duckdb http://host:8080/a@b', {})).toBe(
      'duckdb:data/shop.duckdb http://host:8080/a@b',
    )
  })

  it('knows the password of a URL in the environment where a driver repeats it alone', () => {
    const env = { DATABASE_URL: 'postgres://me:p%40ssw0rd-long@host/db' }
    expect(redact('wrong password "p@ssw0rd-long" (p%40ssw0rd-long)', env)).toBe('wrong password "***" (***)')
  })

  it('takes no time on a megabyte that looks like the start of URLs', () => {
    redact('://a:'.repeat(200_000), {})
  })

  it('knows a secret as JSON writes it', () => {
    expect(redact('{"said":"a\\"secret\\\\key"}', { X_KEY: 'a"secret\\key' })).toBe('{"said":"***"}')
  })

  it('leaves no part of a secret at the ends of a text that was cut', () => {
    const clean = createRedactor({ X_KEY: 'abcdefgh-ijklmnop' })
    expect(clean('klmnop and abcdefgh-i', 'cut')).toBe('*** and ***')
    expect(clean('defgh and abc', 'cut')).toBe('defgh and abc')
    expect(clean('abcdefgh', 'cut')).toBe('***')
    expect(clean('lmnop and abcde')).toBe('lmnop and abcde')
  })
})

describe('variables that a configuration names', () => {
  it('hold secrets whatever they are called, from then on', () => {
    const env = { MODEL_AUTH: 'hunter2-hunter2' }
    const clean = createRedactor(env)
    expect(clean('hunter2-hunter2')).toBe('hunter2-hunter2')
    hideVariables(['MODEL_AUTH'], [])
    expect([clean('hunter2-hunter2'), redact('hunter2-hunter2', env)]).toEqual(['***', '***'])
  })

  it('that are given to a program hold none where they are ordinary words', () => {
    const given = {
      GIVEN_A: 'hunter2-hunter2',
      GIVEN_B: 'correct-horse-battery-staple',
      GIVEN_C: 'production',
      GIVEN_D: 'Asia/Jakarta',
      GIVEN_E: '2025-12-31',
    }
    hideVariables([], Object.keys(given))
    expect(redact(Object.values(given).join(' '), given)).toBe('*** *** production Asia/Jakarta 2025-12-31')
  })
})

describe('what a server may show of a secret', () => {
  const secret = 'sk-ATTACK-9f8e7d6c5b4a3210zz'
  const env = { X_KEY: secret }
  const base64 = (text: string): string => Buffer.from(text).toString('base64')

  it.each([
    ['alone', base64(secret)],
    ['for addresses', Buffer.from(secret).toString('base64url')],
    ['behind a name', base64(`me:${secret}`)],
    ['behind another', base64(`user:${secret}:more`)],
    ['behind Bearer', base64(`Bearer ${secret}`)],
  ])('its base64 goes, %s', (_name, text) => {
    const shown = redact(`said ${text}.`, env)
    expect(shown).toContain('***')
    // What is left of it are the names around it, and a character at each end.
    expect(Buffer.from(shown.replaceAll('***', ''), 'base64').toString('latin1')).not.toMatch(/sk-|ATT|0zz/)
  })

  it('as an address writes it goes, too', () => {
    expect(redact('?key=a%2Fb%2Bc%3Ddefgh', { X_KEY: 'a/b+c=defgh' })).toBe('?key=***')
  })

  it.each([
    ['its beginning', `${secret.slice(0, 12)}`],
    ['its end', `${secret.slice(-8)}`],
    ['a mask between', `${secret.slice(0, 10)}....${secret.slice(-9)}`],
    ['cut base64', base64(secret).slice(0, 20)],
  ])('parts of 8 characters go from what it says: %s', (_name, text) => {
    const clean = createRedactor(env)
    expect(clean(`key ${text} is wrong`, 'echo')).toMatch(/^key \*\*\*(\.\.\.\.\*\*\*)? is wrong$/)
    // Elsewhere, too: six characters are enough.
    expect(clean(`key ${text} is wrong`)).toMatch(/^key \*\*\*-?(\.\.\.\.\*\*\*)? is wrong$/)
  })

  it('shorter parts, and words that no secret has, stay', () => {
    const clean = createRedactor(env)
    expect(clean(`${secret.slice(0, 7)} of the attackers`, 'echo')).toBe('*** of the attackers')
    expect(clean('sk-ATT of the attackers, 9f8e7', 'echo')).toBe('sk-ATT of the attackers, 9f8e7')
  })
})

describe('placesOfSecrets', () => {
  it('names the variable whose value is a word of a text, and where it stands', () => {
    const texts = new Map([
      ['a.yaml', 'metric: warehouse'],
      ['b.yaml', 'metric: orders'],
      ['c.sql', 'FROM warehouse'],
    ])
    const env = { DB_PASSWORD: 'warehouse', OTHER_TOKEN: 'elsewhere', PATH: 'orders' }
    expect([...placesOfSecrets(texts, env)]).toEqual([['DB_PASSWORD', ['a.yaml', 'c.sql']]])
  })
})

describe('headerProblem', () => {
  it.each([
    ['sk-abc_DEF.123', true],
    ['schlüssel', true],
    ['two words\tand a tab', true],
    ['one\ntwo', false],
    ['nul\0', false],
    ['日本', false],
  ])('%j: may be sent: %s', (key, sendable) => {
    expect(headerProblem(key) === undefined).toBe(sendable)
  })
})
