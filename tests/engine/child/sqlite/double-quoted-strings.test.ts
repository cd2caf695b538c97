import { describe, expect, it } from 'vitest'
import { rewriteDoubleQuotedName } from '../../../../src/engine/child/sqlite/double-quoted-strings.js'

const complaint = (name: string) =>
  `no such column: "${name}" - should this be a string literal in single-quotes?`

describe('a double-quoted name that is no column', () => {
  it.each([
    ['SELECT 1 WHERE x = "PP" OR y = "PPT"', 'PP', `SELECT 1 WHERE x = 'PP' OR y = "PPT"`],
    ['SELECT "it\'s"', "it's", "SELECT 'it''s'"],
    ['SELECT "say ""hi"""', 'say "hi"', `SELECT 'say "hi"'`],
    [`SELECT '"a"', "a" -- "a"`, 'a', `SELECT '"a"', 'a' -- "a"`],
    ['SELECT t."a", "a"."b", "a" /* "a" */', 'a', `SELECT t."a", "a"."b", 'a' /* "a" */`],
  ])('in %j becomes a string', (sql, name, rewritten) => {
    expect(rewriteDoubleQuotedName(sql, complaint(name))).toBe(rewritten)
  })

  it.each([
    ['SELECT "a"', 'no such column: a'],
    ['SELECT "a"', 'no such table: "a"'],
    ['SELECT t."a"', complaint('a')],
  ])('stays what it is in %j after %j', (sql, message) => {
    expect(rewriteDoubleQuotedName(sql, message)).toBeUndefined()
  })
})
