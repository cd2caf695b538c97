import { describe, expect, it } from 'vitest'
import { createRedactor, redact, redactCase, redactTexts } from '../../src/store/redact.js'
import { failingCase } from '../report/fixtures.js'

describe('redact', () => {
  it.each(['OPENAI_API_KEY', 'GH_TOKEN', 'DB_PASSWORD', 'CLIENT_SECRET', 'my_api_key'])(
    'blacks out the value of %s',
    (name) => {
      expect(redact('401 for hunter2-hunter2!', { [name]: 'hunter2-hunter2' })).toBe('401 for ***!')
    },
  )

  it('leaves other variables and short values alone', () => {
    expect(redact('path is /usr/local/bin', { PATH: '/usr/local/bin', X_KEY: 'usr' })).toBe(
      'path is /usr/local/bin',
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
    const started = performance.now()
    redact('://a:'.repeat(200_000), {})
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it('reaches every text of a case but ids and fixed words', () => {
    const secret = 'mismatch'
    const clean = createRedactor({ THE_PASSWORD: secret })
    const record = redactCase({ ...failingCase, caseId: secret, cause: `a ${secret}` }, clean)
    expect(record.caseId).toBe(secret)
    expect(record.cause).toBe('a ***')
    expect(record.sample.results?.kind).toBe('mismatch')
  })

  it('keeps numbers beyond 2^53 within plain data', () => {
    expect(redactTexts({ cells: [1n, 'password1'] }, createRedactor({ A_KEY: 'password1' }))).toEqual({
      cells: [1n, '***'],
    })
  })
})
