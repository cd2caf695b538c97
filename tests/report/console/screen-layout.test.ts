import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { truncateTo, wrapClauses } from '../../../src/report/console/screen-layout.js'

// Widths are checked by another library than the one that cuts.
const atoms = ['a', ' ', '✗', '…', '日本', '한', '👍', '👩‍👩‍👧', 'e\u0301', '\u{20000}', '→', 'ﾊ', 'xyz', '—']

function* texts(count: number): Generator<string> {
  let state = 1
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  for (let i = 0; i < count; i++) {
    yield Array.from({ length: 1 + next(14) }, () => atoms[next(atoms.length)]).join('')
  }
}

describe('text cut to a width', () => {
  it('is never wider, and whole where it fits', () => {
    for (const text of texts(300)) {
      for (const width of [1, 2, 5, 9, 16]) {
        const cut = truncateTo(text, width)
        expect(stringWidth(cut), `${width} ${text}`).toBeLessThanOrEqual(width)
        if (stringWidth(text) <= width) expect(cut).toBe(text)
        else expect(cut).toMatch(/…$/)
        expect(Buffer.from(cut).toString()).toBe(cut)
      }
    }
  })

  it('leaves no colour on behind the cut', () => {
    const red = `\u001b[31m${'long '.repeat(5)}\u001b[39m`
    for (let width = 1; width < 20; width++) {
      const cut = truncateTo(red, width)
      expect(stringWidth(cut)).toBeLessThanOrEqual(width)
      if (cut.includes('\u001b')) expect(cut.endsWith('\u001b[0m')).toBe(true)
    }
  })
})

describe('a reason that is longer than its lines', () => {
  const list = Array.from({ length: 60 }, (_, at) => `metric_${at}`).join(', ')

  it('keeps every clause, with its beginning and its end', () => {
    const clauses = [`commit 1a2b3c4 did the same in ${list}`, 'no case asks for any', 'not in days: a note']
    const lines = wrapClauses(clauses.join('; '), 76, 4)
    expect(lines.length).toBeLessThanOrEqual(4)
    const text = lines.join(' ')
    expect(text).toContain('commit 1a2b3c4 did the same in metric_0')
    expect(text).toContain('metric_59; no case asks for any; not in days: a note')
  })

  it('is left whole where it fits, and never wider or higher than its place', () => {
    expect(wrapClauses('one; two', 20, 1)).toEqual(['one; two'])
    for (const width of [10, 40, 77])
      for (const text of [list, `${list}; ${list}; end`, Array(90).fill('a clause').join('; ')]) {
        const lines = wrapClauses(text, width, 3)
        expect(lines.length).toBeLessThanOrEqual(3)
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      }
  })
})
