import { describe, expect, it } from 'vitest'
import { auditFlags, runFlags } from '../src/cli/flags.js'
import { revertFlags } from '../src/cli/store-flags.js'
import { pageText } from './docs/page.js'

describe.each(['README.md', 'docs/usage.md'])('%s', (path) => {
  it('names no flag that does not exist', () => {
    const flags = pageText(path).match(/(?<=autotest[^\n`]*\s)--[a-z-]+/g) ?? []
    expect(flags.length).toBeGreaterThan(5)
    expect(
      flags.filter((flag) => !(flag.slice(2) in { ...runFlags, ...revertFlags, ...auditFlags })),
    ).toEqual([])
  })
})
