import { expect, it } from 'vitest'
import type { SqlCase } from '../../src/benchmark/case.js'
import { filterCases } from '../../src/benchmark/filter.js'

function sqlCase(id: string, ...tags: string[]): SqlCase {
  const location = { file: 'b.yaml', line: 1, column: 1 }
  return {
    kind: 'sql',
    id,
    question: 'Q',
    expectedSql: 'SELECT 1',
    tags,
    compare: {},
    location,
    sqlLocation: location,
  }
}

const cases = [
  sqlCase('dau_id', 'traffic', 'dau'),
  sqlCase('gmv_th', 'commerce'),
  sqlCase('gmv_id', 'commerce', 'gmv'),
]
const selected = (filter: Parameters<typeof filterCases>[1]) =>
  filterCases(cases, filter).map((item) => item.id)

it('takes all where nothing is asked for', () => {
  expect(selected({})).toEqual(['dau_id', 'gmv_th', 'gmv_id'])
  expect(selected({ tags: [], ids: [] })).toHaveLength(3)
})

it('takes cases with any of the tags, in benchmark order', () => {
  expect(selected({ tags: ['gmv', 'traffic'] })).toEqual(['dau_id', 'gmv_id'])
})

it('takes named cases, of those with a tag where both are asked for', () => {
  expect(selected({ ids: ['gmv_id', 'dau_id'] })).toEqual(['dau_id', 'gmv_id'])
  expect(selected({ ids: ['gmv_id', 'dau_id'], tags: ['commerce'] })).toEqual(['gmv_id'])
})

it.each([
  [
    { tags: ['trafic'] },
    'nothing matched: --tags trafic',
    'did you mean `traffic`? tags here: commerce, dau, gmv, traffic',
  ],
  [
    { tags: ['zebra', 'lion'] },
    'nothing matched: --tags zebra,lion',
    'tags here: commerce, dau, gmv, traffic',
  ],
  [{ ids: ['dau_id', 'gmv_t'] }, 'nothing matched: --id gmv_t', 'did you mean `gmv_th`?'],
  [{ ids: ['zebra'] }, 'nothing matched: --id zebra', 'ids here: dau_id, gmv_th, gmv_id'],
  [
    { ids: ['dau_id'], tags: ['gmv'] },
    'nothing matched: --id dau_id --tags gmv',
    'tags here: commerce, dau, gmv, traffic',
  ],
])('%j leaves nothing, which is an error that helps', (filter, message, hint) => {
  expect(() => selected(filter)).toThrow(expect.objectContaining({ code: 'no_case_matched', message, hint }))
})

it('lists twenty ids at most', () => {
  const many = Array.from({ length: 50 }, (_, i) => sqlCase(`c${i}`))
  expect(() => filterCases(many, { ids: ['zebra'] })).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/c19 and 30 more$/) }),
  )
})
