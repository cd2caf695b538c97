import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../../../../src/sql/index.js'
import { december, november, proposalsFor } from './snippet-examples.js'

let parser: SqlParser

beforeAll(async () => {
  parser = await loadSqlParser()
})

function repair(faulty: string, good: string): string | undefined {
  return proposalsFor(parser, 'nights', [faulty, good], [november, december])[0]?.text
}

const good = `-- Nights that were paid
WITH stays AS (
  SELECT hotel_id, day, sum(nights) AS nights -- of all guests
  FROM bookings
  WHERE (channel = 'web'
      OR nights >= 3)
    AND status = 'paid'
  GROUP BY hotel_id, day
), hotels AS (
  SELECT hotel_id FROM houses WHERE market = {{ market }}
)
SELECT sum(CASE WHEN s.nights > 9 THEN s.nights ELSE 0 END) AS nights
FROM stays s
JOIN hotels h ON h.hotel_id = s.hotel_id
WHERE s.day BETWEEN {{ period.start }} AND {{ period.end }}
`

function broken(text: string, piece: string, other = ''): string {
  if (text.split(piece).length !== 2) throw new Error(`"${piece}" must stand exactly once`)
  return text.replace(piece, () => other)
}

describe('a snippet that is no query any more', () => {
  it.each([
    ['a missing bracket', '>= 3)', '>= 3'],
    ['a bracket too many', 'AS nights\nFROM', ') AS nights\nFROM'],
    ['the missing bracket of a CTE', '\n)\nSELECT', '\nSELECT'],
    ['the missing first line of a condition', "  WHERE (channel = 'web'\n", ''],
    ['the missing last line of a condition', '      OR nights >= 3)\n', ''],
    ['the missing first line of a CTE', 'WITH stays AS (\n', ''],
    ['the missing line between two CTEs', '), hotels AS (\n', ''],
    ['a missing END', ' END', ''],
    ['a missing WHERE', 'WHERE s.day', 's.day'],
    ['a missing AND', 'AND status', 'status'],
    ['a missing FROM', '\nFROM stays s', ''],
    ['a missing comma', 'hotel_id, day, sum', 'hotel_id, day sum'],
  ])('reads as the expected query does (%s)', (_what, piece, other) => {
    expect(repair(broken(good, piece, other), good)).toBe(good)
  })

  it('is repaired beside another fault', () => {
    const faulty = broken(broken(good, '>= 3)', '>= 3'), "    AND status = 'paid'\n")
    expect(repair(faulty, good)).toBe(good)
  })

  it('is left alone where most of it is missing', () => {
    expect(repair('SELECT sum(nights FROM', good)).toBeUndefined()
  })
})

describe('a missing CTE that is read', () => {
  it.each([
    ['the first', /stays AS \([\s\S]*?\), /],
    ['the second', /, hotels AS \([\s\S]*?\n\)/],
    ['all', /WITH[\s\S]*?\n\)\n/],
  ])('comes back as the expected query has it (%s)', (_what, missing) => {
    const faulty = good.replace(missing, '')
    expect(faulty).not.toBe(good)
    expect(repair(faulty, good)).toBe(good)
  })
})
