import { describe, expect, it } from 'vitest'
import { findAliasConflicts } from '../../../../../src/domains/sql/repair/validate/alias-conflicts.js'
import type { YamlEdit } from '../../../../../src/edit/edit-types.js'
import { parseFiles, shop } from '../../../../kb/knowledge-files.js'

const kb = parseFiles(shop)
const edit = (at: YamlEdit['at'], value: YamlEdit['value'], entry = 'metric:dau'): YamlEdit => ({
  kind: 'edit_metric',
  path: 'kb/metrics/dau.yaml',
  entry,
  action: 'append',
  at,
  expected: [],
  value,
})

describe('findAliasConflicts', () => {
  it('refuses a word for a value that stands for another value in another metric', () => {
    expect(findAliasConflicts([edit(['parameters', 'market', 'values', 'TH'], 'India')], kb)).toEqual([
      '"India" is another value than TH in kb/metrics/gmv.yaml',
    ])
  })

  it('counts codes as words, whatever their case', () => {
    expect(findAliasConflicts([edit(['parameters', 'market', 'values', 'TH'], 'my')], kb)).toHaveLength(1)
  })

  it('accepts a word that means the same value elsewhere, and one that no entry has', () => {
    const words = ['India', 'Bharat'].map((word) => edit(['parameters', 'market', 'values', 'IN'], word))
    expect(findAliasConflicts(words, kb)).toEqual([])
  })

  it('does not count what the metric itself says: that is a change of its own', () => {
    const own = edit(['parameters', 'by', 'values', 'month'], 'by device', 'metric:gmv')
    expect(findAliasConflicts([own], kb)).toEqual([])
  })

  it('refuses an alias that holds the words of a value elsewhere', () => {
    expect(findAliasConflicts([edit(['aliases'], 'users by device')], kb)).toEqual([
      'alias "users by device" contains "by device", which is a value in kb/metrics/gmv.yaml',
    ])
  })

  it('accepts an alias with two letters that are a code elsewhere', () => {
    expect(findAliasConflicts([edit(['aliases'], 'users in my care')], kb)).toEqual([])
  })

  it('refuses a code for words that stand for another value in another metric', () => {
    const renamed = (words: string[]): YamlEdit => ({
      ...edit(['parameters', 'market', 'values', 'THA'], 'TH'),
      action: 'rename',
      expected: words,
    })
    expect(findAliasConflicts([renamed(['Siam'])], kb)).toEqual([])
    expect(findAliasConflicts([renamed(['Siam', 'India'])], kb)).toHaveLength(1)
  })

  it('ignores what is removed', () => {
    expect(findAliasConflicts([{ ...edit(['aliases', 0], undefined), action: 'remove' }], kb)).toEqual([])
  })
})
