import { expect, it } from 'vitest'
import { expressionProblem, quotedRegions } from '../../src/kb/quoted-regions.js'

it.each<[string, readonly (readonly [string, string])[]]>([
  ["a = 'it''s'", [['string literal', "'it''s'"]]],
  [
    '"a b" -- note\n+ 1',
    [
      ['quoted name', '"a b"'],
      ['comment', '-- note'],
    ],
  ],
  [
    "$$a 'b'$$ /* c */",
    [
      ['string literal', "$$a 'b'$$"],
      ['comment', '/* c */'],
    ],
  ],
  ["'open", [['string literal', "'open"]]],
])('the quoted regions of %j are %j', (sql, regions) => {
  expect(quotedRegions(sql).map(({ kind, start, end }) => [kind, sql.slice(start, end)])).toEqual(regions)
})

it.each([
  ["date_trunc('month', day)", undefined],
  ['a -- b', 'holds a comment'],
  ["a = 'b", 'has an unbalanced quote'],
  [' ', 'is empty'],
  ['1; 2', 'holds a semicolon'],
  ['{{ market }}', 'holds a placeholder'],
  ['(a]', 'has an unbalanced bracket'],
  ['(a', 'has an unbalanced bracket'],
])('%j as an expression in a snippet: %s', (sql, problem) => {
  expect(expressionProblem(sql)).toBe(problem)
})
