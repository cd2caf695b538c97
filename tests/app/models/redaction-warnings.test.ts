import { expect, it } from 'vitest'
import { redactionWarnings } from '../../../src/app/models/redaction-warnings.js'
import { revenueId } from '../../domains/sql/repair/shop.js'
import { snapshotOf } from '../../kb/knowledge-files.js'

const env = { DB_PASSWORD: 'warehouse', PATH: 'revenue' }

it('names a variable whose value is a word of files and questions, files first, and no value', () => {
  const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [`kb/${name}.md`, 'the warehouse']))
  const cases = [{ ...revenueId, id: 'stock', question: 'what is in the warehouse' }]
  const [words, ...more] = redactionWarnings(snapshotOf(files), cases, env)
  expect(more).toEqual([])
  expect(words).toMatch(
    /^the value of DB_PASSWORD occurs in kb\/a\.md, kb\/b\.md, kb\/c\.md and 1 more and is replaced/,
  )
  expect(words).not.toContain('warehouse')
})

it('says nothing where no secret is a word of them', () => {
  expect(redactionWarnings(snapshotOf({ 'kb/a.md': 'revenue' }), [revenueId], env)).toEqual([])
})
