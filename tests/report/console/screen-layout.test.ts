import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { truncateTo } from '../../../src/report/console/screen-layout.js'

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
