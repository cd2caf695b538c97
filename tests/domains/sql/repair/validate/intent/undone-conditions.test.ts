import { describe, expect, it } from 'vitest'
import { undoneConditions } from '../../../../../../src/domains/sql/repair/validate/intent/undone-conditions.js'
import { loadSqlParser } from '../../../../../../src/sql/index.js'
import { contextOf } from '../../repair-in-memory.js'

const context = contextOf({ parser: await loadSqlParser() })

const loans = (...conditions: string[]): string =>
  `SELECT count(*) AS loans\nFROM loans l\nJOIN members m ON m.id = l.member_id\nWHERE l.branch = {{ branch }}\n${conditions.map((one) => `  AND ${one}\n`).join('')}`

/** The commits that a plan takes back, where one changed `before` into today's text. */
const undoneBy = (before: string, today: string, planned: string): string[] =>
  undoneConditions(today, planned, [{ text: before, by: 'commit 1a2b3c4' }], context).map(({ by }) => by)

describe('a change is taken back', () => {
  it.each([
    ['by another form of the condition', 'NOT m.is_staff', 'm.is_staff = FALSE'],
    ['by another form the other way round', 'm.waived = FALSE', 'NOT m.waived'],
    ['by numbers for a flag', 'm.is_staff = 0', 'NOT m.is_staff'],
    ['without the name of the table', "l.status <> 'lost'", "status != 'lost'"],
  ])('%s', (_how, was, comes) => {
    expect(undoneBy(loans(was), loans(), loans(comes))).toEqual(['commit 1a2b3c4'])
  })

  it('by a condition beside the one that was changed', () => {
    const [was, now] = [loans('l.returned_on > l.due_on'), loans('l.returned_on >= l.due_on')]
    expect(undoneBy(was, now, loans('l.returned_on >= l.due_on', 'returned_on > due_on'))).toHaveLength(1)
  })

  it('where it came in, too, by taking it out', () => {
    expect(undoneBy(loans(), loans('NOT m.is_staff'), loans())).toHaveLength(1)
  })

  it('where another condition now begins with WHERE', () => {
    const was = 'SELECT count(*) FROM loans l\nWHERE l.returned_on IS NOT NULL\n  AND NOT l.cancelled\n'
    const now = 'SELECT count(*) FROM loans l\nWHERE NOT l.cancelled\n'
    expect(undoneBy(was, now, `${now}  AND returned_on IS NOT NULL\n`)).toHaveLength(1)
  })
})

describe('a change is not taken back', () => {
  it('by another condition', () => {
    expect(undoneBy(loans('NOT m.is_staff'), loans(), loans("m.country = 'ID'"))).toEqual([])
  })

  it('where a later change decided again', () => {
    const versions = [
      { text: loans('NOT m.is_staff'), by: 'commit 2' },
      { text: loans(), by: 'commit 1' },
    ]
    expect(
      undoneConditions(loans(), loans('m.is_staff = FALSE'), versions, context).map(({ by }) => by),
    ).toEqual(['commit 2'])
  })

  it('where the file was created', () => {
    expect(undoneBy('', loans(), loans('NOT m.is_staff'))).toEqual([])
  })
})
