import { describe, expect, it } from 'vitest'
import { safeCommitText } from '../../src/git/commit-text.js'

describe('text of a commit message', () => {
  it.each([
    ['gmv [skip ci] filter', 'gmv [ skip ci ] filter'],
    ['[CI Skip][no ci][skip-actions]', '[ CI Skip ][ no ci ][ skip-actions ]'],
    ['***NO_CI***', '**NO_CI**'],
    ['fixes #1, Closes: org/repo#22', 'fixes # 1, Closes: org/repo# 22'],
    ['SHOP-1 #close, see !3', 'SHOP-1 # close, see 3'],
    ['fixup! feat!: x', 'fixup feat: x'],
    ['resolved https://host/o/r/issues/3', 'resolved (see) https://host/o/r/issues/3'],
    ['Closing: issue SHOP-3 and GH-4', 'Closing (see): issue SHOP-3 and GH-4'],
    ['@everyone, @org/team, <!here> a@b.example', '@ everyone, @ org/team, <here> a@ b.example'],
    ['a\u202eb\u200bc\u{e0041}d\u0007e', 'a b c d e'],
  ])('%j is %j', (text, safe) => {
    expect(safeCommitText(text)).toBe(safe)
  })

  it.each([
    'fixes the filter of gmv',
    'closes the gap\n# of 2',
    "a != 1 AND b !~ 'x' AND c[1] = ARRAY[1, 2]",
    'UTF-8 and SHOP-12',
    'caf\u00e9 日次',
  ])('%j stays', (text) => {
    expect(safeCommitText(text)).toBe(text)
  })

  it('is no longer than people read', () => {
    expect(safeCommitText('word '.repeat(40_000)).length).toBeLessThanOrEqual(8000)
    expect(safeCommitText('a line\n'.repeat(40_000)).length).toBeLessThanOrEqual(8000)
  })
})
