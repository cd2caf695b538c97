import { describe, expect, it } from 'vitest'
import { refusalReason } from '../../../src/engine/query/single-query-check.js'

describe('the check before a statement is sent', () => {
  it.each([
    ["SELECT ';' AS a", undefined],
    ['SELECT ";" FROM t;', undefined],
    ['SELECT 1; -- ; done', undefined],
    ["SELECT 'it''s; fine'", undefined],
    ['SELECT 1; DELETE FROM t', /single/],
    ["SELECT '/*'; DELETE FROM t --*/", /single/],
    ["SELECT $$'$$; DELETE FROM t WHERE a = $$'$$", /single/],
    ['DELETE FROM t', /DELETE/],
  ])('%s', (sql, reason) => {
    if (reason === undefined) expect(refusalReason(sql, 'postgres')).toBeUndefined()
    else expect(refusalReason(sql, 'postgres')).toMatch(reason)
  })
})
