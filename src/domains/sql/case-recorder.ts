import type { ResultFinding } from '../../compare/model/score.js'
import type { Value } from '../../engine/contract/engine.js'
import type { CaseRecorder } from '../../run/case-records.js'
import type { SqlTypes } from './types.js'

/** What is kept of a text-to-SQL case; where it stands in its file, and its tags, do not decide its verdict. */
export const sqlCaseRecorder: CaseRecorder<SqlTypes> = {
  expected: ({ expectedSql }) => expectedSql,
  identity: ({ kind, id, question, expectedSql, engine, dialect, asOf, compare }) => ({
    ...{ kind, id, question, expectedSql, engine, dialect, asOf, compare },
  }),
  findings: ({ structure, results }) => ({
    structure,
    results: results === undefined ? undefined : truncateCells(results),
  }),
  // What was stored is what this recorder wrote.
  restore: (score, { structure, results }) => ({
    ...score,
    structure: structure as SqlTypes['score']['structure'],
    results,
  }),
}

const cellCharacters = 200

/** Rows are evidence for people: a megabyte of text in a cell says no more than its start. */
function truncateCells(results: ResultFinding): ResultFinding {
  if (results.kind !== 'match' && results.kind !== 'mismatch') return results
  const short = (row: readonly Value[]): Value[] => row.map(truncateCell)
  const differences = results.comparison.differences.map((difference) => {
    switch (difference.kind) {
      case 'missing':
      case 'extra':
        return { ...difference, row: short(difference.row) }
      case 'changed':
        return { ...difference, expected: short(difference.expected), actual: short(difference.actual) }
      default:
        return difference
    }
  })
  return { ...results, comparison: { ...results.comparison, differences } }
}

function truncateCell(value: Value): Value {
  const cut = (text: string): string =>
    text.length > cellCharacters ? `${text.slice(0, cellCharacters)}… (${text.length} characters)` : text
  if (typeof value === 'string') return cut(value)
  if (typeof value === 'object' && value !== null) return { ...value, text: cut(value.text) }
  return value
}
