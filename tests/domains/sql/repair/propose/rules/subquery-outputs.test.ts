import { beforeAll, describe, expect, it } from 'vitest'
import { createEquivalenceGate } from '../../../../../../src/domains/sql/repair/model/equivalence-with-expected.js'
import { loadSqlParser, type SqlParser } from '../../../../../../src/sql/index.js'
import { changedLines, december, november, october, proposalsFor, render } from './snippet-examples.js'

let parser: SqlParser

beforeAll(async () => {
  parser = await loadSqlParser()
})

/** The first proposal for the faulty snippet, where the cases expect what `good` says in a shape of their own. */
function repair(broken: string, good: string): string | undefined {
  return proposalsFor(parser, 'share', [broken, good], [november, december, october])[0]?.text
}

function broken(text: string, good: string, bad: string): string {
  if (text.split(good).length !== 2) throw new Error(`"${good}" must stand exactly once`)
  return text.replace(good, () => bad)
}

const staged = `WITH p AS (
  SELECT p.parcel_id, p."Damage Code" AS code, s.depot, date(p.scanned_at) AS day, p.is_test
  FROM parcels p
  JOIN shipments s ON s.shipment_id = p.shipment_id
  WHERE p.scanned_at IS NOT NULL
    AND s.carrier <> 'own'
)
SELECT 100.0 * count(CASE WHEN code IN ('crush', 'wet') THEN 1 END) / count(*) AS share
FROM p
WHERE depot = {{ market }}
  AND day BETWEEN {{ period.start }} AND {{ period.end }}
  AND is_test = 0
`

const flat = `SELECT 100.0 * COUNT(CASE WHEN p."Damage Code" IN ('crush', 'wet') THEN 1 END) / COUNT(*) AS share
FROM parcels p
JOIN shipments s ON s.shipment_id = p.shipment_id
WHERE s.depot = {{ market }}
  AND DATE(p.scanned_at) BETWEEN {{ period.start }} AND {{ period.end }}
  AND p.scanned_at IS NOT NULL
  AND p.is_test = 0
  AND s.carrier <> 'own'
`

const outside = [
  ['a wrong literal', "'wet'", "'wett'"],
  ['a missing member', "'crush', 'wet'", "'crush'"],
  ['a missing filter', '\n  AND is_test = 0', ''],
  ['a missing period', '  AND day BETWEEN {{ period.start }} AND {{ period.end }}\n', ''],
  ['a wrong column', 'depot = {{', 'day = {{'],
  ['a boundary', 'AND {{ period.end }}', 'AND {{ period.end_exclusive }}'],
  [
    'a ratio',
    "100.0 * count(CASE WHEN code IN ('crush', 'wet') THEN 1 END) / count(*)",
    "100.0 * avg(CASE WHEN code IN ('crush', 'wet') THEN 1 END)",
  ],
  ['a hard-coded value', 'depot = {{ market }}', "depot = 'ID'"],
] as const

const inside = [
  ['a wrong literal', "'own'", "'owned'"],
  ['a missing filter', "\n    AND s.carrier <> 'own'", ''],
  ['a wrong filter', 'IS NOT NULL', 'IS NULL'],
  ['a wrong renamed column', 'p."Damage Code" AS code', 'p."Damage Kind" AS code'],
  ['a wrong expression', 'date(p.scanned_at) AS day', 'date(p.booked_at) AS day'],
  ['a wrong plain column', 's.depot', 's.hub'],
  ['a stale table', 'shipments s', 'shipments_old s'],
  ['a wrong key', 's.shipment_id = p', 's.parcel_id = p'],
] as const

describe('a snippet in stages, expected in one piece', () => {
  it('says the same where nothing is at fault', () => {
    const gate = createEquivalenceGate(parser, render(flat, november), 'duckdb')
    expect(gate?.isEquivalent(render(staged, november))).toBe(true)
  })

  it.each([...outside, ...inside])('%s is repaired in the words of its place (%s)', (_, good, bad) => {
    expect(repair(broken(staged, good, bad), flat)).toBe(staged)
  })

  it.each(outside)('%s with a derived table (%s)', (_, good, bad) => {
    const body = /\(\n([\s\S]*?)\n\)/.exec(staged)?.[1] ?? ''
    const derived = staged.replace(/^WITH[\s\S]*?\n\)\n/, '').replace('FROM p', `FROM (\n${body}\n) AS p`)
    expect(repair(broken(derived, good, bad), flat)).toBe(derived)
  })
})

describe('a missing first filter', () => {
  it.each(['depot = {{ market }}\n  AND ', 'p.scanned_at IS NOT NULL\n    AND '])(
    '%s comes back',
    (missing) => {
      const faulty = broken(staged, missing, '')
      const text = repair(faulty, flat) ?? ''
      expect(
        createEquivalenceGate(parser, render(flat, november), 'duckdb')?.isEquivalent(render(text, november)),
      ).toBe(true)
      expect(changedLines(faulty, text)).toBe(1)
    },
  )
})

describe('a snippet in one piece, expected in stages', () => {
  it.each([
    ['a wrong literal', "'wet'", "'wett'"],
    ['a missing member', "'crush', 'wet'", "'crush'"],
    ['a missing filter', '\n  AND p.is_test = 0', ''],
    ['a missing filter of the stage', "\n  AND s.carrier <> 'own'", ''],
    ['a wrong column', 's.depot =', 's.hub ='],
    ['a wrong column in an aggregate', 'p."Damage Code" IN', 'p."Damage Kind" IN'],
    ['a wrong expression', 'DATE(p.scanned_at)', 'DATE(p.booked_at)'],
    ['a stale table', 'shipments s', 'shipments_old s'],
    ['a wrong key', 's.shipment_id = p', 's.parcel_id = p'],
    ['a hard-coded value', 's.depot = {{ market }}', "s.depot = 'ID'"],
  ])('%s is repaired in its own words (%s)', (_, good, bad) => {
    const faulty = broken(flat, good, bad)
    const text = repair(faulty, staged) ?? ''
    expect(changedLines(faulty, text)).toBeLessThanOrEqual(changedLines(faulty, flat))
    expect(text.split('\n').sort()).toEqual(flat.split('\n').sort())
  })
})

describe('two faults of one snippet in stages', () => {
  it.each([
    [
      ['\n  AND is_test = 0', ''],
      ["'own'", "'owned'"],
    ],
    [
      ["'wet'", "'wett'"],
      ['p."Damage Code" AS code', 'p."Damage Kind" AS code'],
    ],
    [
      ['AND {{ period.end }}', 'AND {{ period.end_exclusive }}'],
      ["\n    AND s.carrier <> 'own'", ''],
    ],
  ] as const)('are both repaired', ([good, bad], [second, worse]) => {
    const faulty = broken(broken(staged, good, bad), second, worse)
    expect(repair(faulty, flat)).toBe(staged)
  })
})

const joined = `WITH p AS (
  SELECT parcel_id, shipment_id, "Damage Code" AS code, scanned_at AS at FROM parcels WHERE is_test = 0
), s AS (
  SELECT shipment_id AS sid, depot FROM shipments WHERE carrier <> 'own'
)
SELECT s.depot, count(DISTINCT p.parcel_id) AS parcels
FROM p
JOIN s ON s.sid = p.shipment_id
WHERE p.code = 'wet' AND s.depot = {{ market }} AND p.at BETWEEN {{ period.start }} AND {{ period.end }}
GROUP BY s.depot
`

const joinedFlat = `SELECT s.depot, COUNT(DISTINCT p.parcel_id) AS parcels
FROM parcels p
JOIN shipments s ON p.shipment_id = s.shipment_id
WHERE p."Damage Code" = 'wet'
  AND p.is_test = 0
  AND s.carrier <> 'own'
  AND s.depot = {{ market }}
  AND p.scanned_at BETWEEN {{ period.start }} AND {{ period.end }}
GROUP BY s.depot
`

describe('two stages that are joined', () => {
  it.each([
    ["'wet'", "'wett'"],
    [' WHERE is_test = 0', ''],
    ["'own'", "'owned'"],
    ['"Damage Code" AS', '"Damage Kind" AS'],
    ["p.code = 'wet' AND ", ''],
    ['DISTINCT ', ''],
    ['scanned_at AS at', 'booked_at AS at'],
    ['FROM shipments', 'FROM shipment_log'],
    ['s.sid = p.shipment_id', 's.sid = p.parcel_id'],
  ])('are repaired where the fault stands (%s)', (good, bad) => {
    expect(repair(broken(joined, good, bad), joinedFlat)).toBe(joined)
  })

  it.each([
    ["'wet'", "'wett'"],
    ['p."Damage Code"', 'p."Damage Kind"'],
    ['p.shipment_id = s', 'p.parcel_id = s'],
    ['p.scanned_at', 'p.booked_at'],
    ['shipments s', 'shipment_log s'],
  ])('show what a flat snippet should say (%s)', (good, bad) => {
    expect(repair(broken(joinedFlat, good, bad), joined)).toBe(joinedFlat)
  })
})

describe('an expected query that says something else', () => {
  it('is not followed by half', () => {
    const other = `${render(flat, november)} AND s.depot IN (SELECT depot FROM closed)`
    const text = repair(staged, other)
    if (text !== undefined) expect(text).toContain('closed')
  })
})

const gathered = `WITH done AS (
  SELECT visit_id
  FROM visits
  WHERE department = {{ market }}
    AND day BETWEEN {{ period.start }} AND {{ period.end }}
), bills AS (
  SELECT visit_id, sum(amount) AS amount, sum(paid) AS paid
  FROM invoices
  WHERE sent_on BETWEEN {{ period.start }} AND {{ period.end }}
  GROUP BY visit_id
)
SELECT sum(b.paid) / sum(b.amount) AS share
FROM done
JOIN bills b ON b.visit_id = done.visit_id
`

describe('a missing join of a CTE', () => {
  it('reads the CTE that is there again', () => {
    const faulty = broken(gathered, 'JOIN bills b ON b.visit_id = done.visit_id\n', '')
    expect(repair(faulty, gathered)).toBe(gathered)
    expect(repair(faulty, gathered.replaceAll('bills', 'sums'))).toBe(gathered)
  })

  it('copies the sub-query where the snippet has none, with both bounds of a period of one day', () => {
    const [, body] = /bills AS \(\n([\s\S]*?)\n\)/.exec(gathered) ?? []
    const derived = gathered
      .replace(/, bills AS \([\s\S]*?\n\)/, '')
      .replace('bills b', `(${body?.trim()}) b`)
    const days = ['2025-11-04', '2025-12-09'].map((day) => ({ ...november, start: day, end: day }))
    const faulty = broken(derived, derived.slice(derived.indexOf('JOIN')), '')
    const [proposal] = proposalsFor(parser, 'share', [faulty, derived], days)
    expect(proposal?.text).toContain('sent_on BETWEEN {{ period.start }} AND {{ period.end }}')
  })
})
