import { beforeAll, describe, expect, it } from 'vitest'
import { collectComparedLiterals } from '../../../src/sql/comparison-literals/comparison-literals.js'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { parseSchema } from '../../../src/sql/tables/load-schema.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

const ddl = `
  CREATE TABLE hotel.stays (id INTEGER, guest INTEGER, status VARCHAR, room VARCHAR, arrived DATE, paid DECIMAL(8, 2), extras JSON, tags VARCHAR[], bed STRUCT(size STRUCT(cm INTEGER), kind VARCHAR));
  CREATE TABLE hotel."Odd Ones" ("Status Of" VARCHAR);
  CREATE TABLE hotel.guests (id INTEGER, country VARCHAR, status VARCHAR);
`

function valuesIn(sql: string): string[] {
  const schema = parseSchema(parser, ddl, 'duckdb')
  const parsed = parser.parse(sql, 'duckdb', schema)
  if (parsed.kind !== 'query') throw new Error(parsed.message)
  return collectComparedLiterals(parsed.shape, 'duckdb', schema).map(
    ({ table, column, path, kind, text, role }) =>
      `${[table, column, ...(path ?? [])].join('.')} ${kind} ${text}${role ? `, ${role}` : ''}`,
  )
}

describe('the values that a query compares columns with', () => {
  it.each([
    ['equality', "status = 'no_show'", ['hotel.stays.status text no_show']],
    ['its negation', "NOT status = 'no_show'", ['hotel.stays.status text no_show']],
    ['a list', "status IN ('a', 'b')", ['hotel.stays.status text a', 'hotel.stays.status text b']],
    [
      'bounds',
      'paid BETWEEN 1 AND 2.5',
      ['hotel.stays.paid number 1, bound', 'hotel.stays.paid number 2.5, bound'],
    ],
    ['a day', "arrived >= DATE '2025-11-01'", ['hotel.stays.arrived text 2025-11-01, bound']],
    [
      'a day as a text',
      "arrived < CAST('2025-11-01' AS DATE)",
      ['hotel.stays.arrived text 2025-11-01, bound'],
    ],
    [
      'a pattern',
      "room LIKE 'suite%'",
      ['hotel.stays.room text suite', 'hotel.stays.room text suite, prefix'],
    ],
    [
      'a pattern in any letter case',
      "room ILIKE 'suite'",
      ['hotel.stays.room text , cased', 'hotel.stays.room text suite'],
    ],
    [
      'a call on the column',
      "lower(status) = 'open'",
      ['hotel.stays.status text open', 'hotel.stays.status text , cased'],
    ],
    ['a default', "coalesce(status, '') = 'open'", ['hotel.stays.status text open']],
    [
      'not the default itself',
      "coalesce(status, 'none') IN ('none', 'open')",
      ['hotel.stays.status text open'],
    ],
    ['not a day that stands for NULL', "coalesce(arrived, DATE '9999-12-31') = '9999-12-31'", []],
    ['a beginning', "left(status, 2) = 'op'", ['hotel.stays.status text op, prefix']],
    ['a part of a column', 'year(arrived) = 2025', ['hotel.stays.arrived number 2025, part']],
    ['nothing of what reads two columns', "concat(status, room) = 'a'", []],
    ['sums', 'paid + 1 = 3', ['hotel.stays.paid number 3, part']],
    ['nothing of other columns', 'id = guest', []],
    ['a name in JSON', "extras ->> '$.view' = 'sea'", ['hotel.stays.extras.view text sea']],
    [
      'a longer path',
      "CAST(extras -> 'bed' ->> '$.\"the size\".cm' AS INTEGER) > 180",
      ['hotel.stays.extras.bed.the size.cm number 180, bound'],
    ],
    ['a field of a struct', "bed.kind = 'twin'", ['hotel.stays.bed.kind text twin']],
    ['a field in brackets', "bed['kind'] = 'twin'", ['hotel.stays.bed.kind text twin']],
    [
      'a field of a field',
      "struct_extract(stays.bed, 'size').cm > 180",
      ['hotel.stays.bed.size.cm number 180, bound'],
    ],
    [
      'no element of a list in JSON',
      "extras ->> '$.views[0]' = 'sea'",
      ['hotel.stays.extras text sea, part'],
    ],
    ['a member of a list', "list_contains(tags, 'late')", ['hotel.stays.tags text late, member']],
    ['a member, the other way round', "'late' = ANY(tags)", ['hotel.stays.tags text late, member']],
    [
      'a pattern of an end',
      "status LIKE '%show'",
      ['hotel.stays.status text show', 'hotel.stays.status text %show, pattern'],
    ],
    ['spaces', "trim(status) = 'open'", ['hotel.stays.status text open', 'hotel.stays.status text , padded']],
    [
      'a day that is reckoned',
      "arrived > DATE '2025-10-31' - INTERVAL 90 DAY",
      ['hotel.stays.arrived text 2025-08-02, bound'],
    ],
    ['a sign', 'abs(paid) < 5', ['hotel.stays.paid number 5, part', 'hotel.stays.paid number 0, bound']],
  ])('%s', (_name, condition, expected) => {
    expect(valuesIn(`SELECT count(*) FROM hotel.stays WHERE ${condition}`)).toEqual(expected)
  })

  it('are those of names in quotes, too', () => {
    expect(valuesIn(`SELECT 1 FROM hotel."Odd Ones" WHERE "Status Of" = 'x'`)).toEqual([
      'hotel.odd ones.status of text x',
    ])
  })

  it('are found wherever they are compared', () => {
    expect(
      valuesIn(`
        WITH s AS (SELECT status AS state, guest AS who, paid FROM stays)
        SELECT CASE state WHEN 'held' THEN 1 END, count(*) FILTER (WHERE state = 'open')
        FROM s WHERE who IN (SELECT id FROM guests WHERE country <> 'ID') GROUP BY ALL HAVING max(paid) > 5`),
    ).toEqual([
      'hotel.stays.status text held',
      'hotel.stays.status text open',
      'hotel.guests.country text ID',
      'hotel.stays.paid number 5, part',
    ])
  })

  it('are of what forms the groups of which the first are asked for', () => {
    expect(valuesIn('SELECT room, count(*) FROM stays GROUP BY room ORDER BY 2 DESC LIMIT 3')).toEqual([
      'hotel.stays.room text , group',
    ])
    expect(valuesIn('SELECT room, count(*) FROM stays GROUP BY room')).toEqual([])
  })

  it('are those of columns too that have to equal the one that is compared', () => {
    expect(
      valuesIn(
        'SELECT 1 FROM stays s JOIN guests g ON s.guest = g.id WHERE g.id = 7 AND s.status = g.status',
      ),
    ).toEqual(['hotel.guests.id number 7', 'hotel.stays.guest number 7'])
  })
})
