import { describe, expect, it } from 'vitest'
import { isPartialRevert } from '../../src/git/partial-revert.js'

const committed = "SELECT avg(a1)\nFROM t\nWHERE tz = 'local'\n  AND m = {{ m }}\n"
const lost = 'SELECT avg(a1)\nFROM t\nWHERE m = {{ m }}\n'

describe('a repair gives back what was committed', () => {
  it.each([
    ['the whole of it', committed, lost, committed],
    ['in another place', committed, lost, "SELECT avg(a1)\nFROM t\nWHERE m = {{ m }} AND tz = 'local'\n"],
    ['and leaves what else was written', committed, `${lost}-- mine\n`, `${committed}-- mine\n`],
    ['with another mark of the list', '{ ID: [a], VN: [b] }', '{ ID: [a], }', '{ ID: [a], VN: [], }'],
    ['in the words of SQL', 'WHERE a <> 1', 'WHERE', 'where a != 1'],
    ['a part of it', 'a b c', 'x', 'x b'],
    ['a list in another order', 'aliases: [DAU, actives]', 'aliases: [DAU]', 'aliases: [DAU, actives]'],
  ])('%s', (_what, had, has, after) => expect(isPartialRevert(had, has, after)).toBe(true))

  it.each([
    ['beside lines of the user', committed, `${committed}-- mine\n`, `${committed} AND x = 1\n-- mine\n`],
    ['takes out what was committed', 'a b', 'a b c', 'a c'],
    ['takes out and puts in', 'avg(a1)', 'sum(a1)', 'max(a1)'],
    ['more often than it was there', 'a b', 'b', 'a a b'],
    ['nothing is committed', '', 'mine', 'mine too'],
  ])('not where: %s', (_what, had, has, after) => expect(isPartialRevert(had, has, after)).toBe(false))
})
