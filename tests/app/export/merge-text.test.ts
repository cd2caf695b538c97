import { describe, expect, it } from 'vitest'
import { mergePart } from '../../../src/app/export/merge-text.js'

describe('a part of a text', () => {
  it('is put behind what is there, is the same the second time, and is replaced between its marks', () => {
    const first = mergePart('# Mine\n', 'roles', 'one')
    expect(first).toMatch(
      /^# Mine\n\n<!-- autotest: roles, [0-9a-f]{12}\. .* -->\none\n<!-- autotest: end of roles -->\n$/,
    )
    expect(mergePart(first, 'roles', 'one')).toBe(first)
    const second = mergePart(`${first}\nAfter.\n`, 'roles', 'two\nlines')
    expect(second).toMatch(/^# Mine[\s\S]*\ntwo\nlines\n<!-- autotest: end of roles -->\n\nAfter\.\n$/)
    expect(mergePart(second, 'gates', 'g')).toContain('After.\n\n<!-- autotest: gates')
  })

  it('stays where somebody changed it, or one of its marks', () => {
    const text = mergePart(undefined, 'roles', 'one') ?? ''
    expect(mergePart(text.replace('\none\n', '\nmine\n'), 'roles', 'two')).toBeUndefined()
    expect(mergePart(text.replace(/<!-- autotest: end.*\n/, ''), 'roles', 'two')).toBeUndefined()
  })
})
