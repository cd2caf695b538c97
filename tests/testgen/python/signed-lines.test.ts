import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSignedLines } from '../../../src/testgen/python/signed-lines.js'

const code = (key: Buffer, direction: string, text: string) =>
  createHmac('sha256', key).update(`${direction} ${text}`).digest('hex')

describe('a line of the worker', () => {
  const lines = createSignedLines()
  const text = '{"id":0,"result":{}}'

  it('is read with the key of its worker', () => {
    expect(lines.read(`${code(lines.key, 'answer', text)} ${text}`)).toBe(text)
  })

  it.each([
    ['without a code', text],
    ['with a code of another key', `${code(createSignedLines().key, 'answer', text)} ${text}`],
    ['that was a request', lines.sign(text).trimEnd()],
    ['whose text was changed', `${code(lines.key, 'answer', text)} ${text} `],
    ['with an empty code', ` ${text}`],
    ['that is empty', ''],
  ])('is not read %s', (_name, line) => {
    expect(lines.read(line)).toBeUndefined()
  })
})
