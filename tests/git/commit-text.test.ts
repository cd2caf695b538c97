import { describe, expect, it } from 'vitest'
import { safeCommitText } from '../../src/git/commit-text.js'

describe('text of a commit message', () => {
  it.each([
    ['gmv [skip ci] filter', 'gmv (skip ci) filter'],
    ['[CI Skip][no ci][skip actions][actions skip]', '(CI Skip)(no ci)(skip actions)(actions skip)'],
    ['***NO_CI***', 'NO_CI'],
    ['skip-checks: true', 'skip checks: true'],
    ['fixes #1, Closes: org/repo#22', 'fixes (see) #1, Closes (see): org/repo#22'],
    ['resolved https://host/o/r/issues/3', 'resolved (see) https://host/o/r/issues/3'],
    ['a\u202eb\u200bc\u{e0041}d\u0007e', 'a b c d e'],
  ])('%j is %j', (text, safe) => {
    expect(safeCommitText(text)).toBe(safe)
  })

  it.each(['fixes the filter of gmv', 'see #1', 'closes the gap\n#1 of 2', 'caf\u00e9 日次'])(
    '%j stays',
    (text) => {
      expect(safeCommitText(text)).toBe(text)
    },
  )

  it('is no longer than people read', () => {
    expect(safeCommitText('word '.repeat(40_000)).length).toBeLessThanOrEqual(8000)
    expect(safeCommitText('a line\n'.repeat(40_000)).length).toBeLessThanOrEqual(8000)
  })
})
