import { describe, expect, it } from 'vitest'
import { splitTextEdit } from '../../../../../../src/domains/sql/repair/verify/minimize/split-text-edit.js'
import { splitWords } from '../../../../../../src/domains/sql/repair/verify/minimize/word-diff.js'

/** What a note becomes where one of the things that can go on their own goes. */
function without(old: string, now: string): string[] {
  const [part] = splitTextEdit(old, now, false, (replace) => [
    { kind: 'edit_note', path: 'kb/notes/money.md', search: old, replace },
  ])
  const all = [...Array(part?.pieces ?? 0).keys()]
  return (part?.groups ?? []).flatMap(({ together }) => {
    const [edit] = part?.edits(new Set(all.filter((at) => !together.includes(at)))) ?? []
    return edit !== undefined && 'replace' in edit ? [edit.replace] : []
  })
}

describe('what of a note can go on its own', () => {
  it('is a sentence, or what a sentence goes on to say', () => {
    const old = 'GMV counts every order.\n'
    expect(without(old, 'GMV counts paid orders. Users are devices.\n')).toContain(
      'GMV counts paid orders.\n',
    )
    for (const further of [
      ' and users are counted by device',
      ', which excludes the orders of staff',
      '; users are devices',
      ', users are counted by their devices',
    ])
      expect(without(old, `GMV counts paid orders only${further}.\n`)).toContain(
        'GMV counts paid orders only.\n',
      )
  })

  it('is what goes beside a sentence that is written anew', () => {
    const old = '# GMV\nGMV counts every order.\n\n# Buyers\nBuyers are accounts.\n'
    const parts = without(old, '# GMV\nGMV counts paid orders.\n')
    for (const removed of ['# Buyers', 'Buyers are accounts.'])
      expect(parts.some((text) => text.includes(removed) && text.includes('paid orders'))).toBe(true)
    expect(without(old, old.replace('every order', 'paid orders and buyers are devices'))).toContain(
      old.replace('every order', 'paid orders'),
    )
  })

  it('is not the end of a sentence alone', () => {
    const now = 'GMV counts paid orders, and buyers are devices.\n'
    expect(without('GMV counts every order.\n', now)).not.toContain(now.replace('.', ''))
  })

  it('is not a word of a list', () => {
    const now = 'GMV counts paid, shipped and delivered orders.\n'
    expect(splitWords(now, false).words.map(({ text }) => text)).toEqual([now.trim()])
  })

  it('is what comes, and never what the author wrote', () => {
    const old = 'GMV counts paid orders only, and users are counted by their account.\n'
    const now = 'GMV counts paid orders only and without tax, and users are counted by their account.\n'
    for (const text of without(old, now)) expect(text).toContain('and users are counted by their account')
  })

  it('puts a text together as it was, whatever it consists of', () => {
    const text = '# A, b; c\n\n- One. Two, and three or four more of them!  \n  * x; y ...\n\nEnd'
    const { words, rest } = splitWords(text, false)
    expect(words.map((word) => word.space + word.text).join('') + rest).toBe(text)
  })
})
