import type { ResultFinding } from '../../compare/model/sql-score.js'
import type { Score } from '../../contracts/score.js'
import type { Value } from '../../engine/contract/engine.js'
import type { CaseRecorder } from '../../run/case-records.js'
import type { SqlTypes } from './sql-domain-types.js'

/**
 * Records of text-to-SQL cases. A case's position in its file and its tags are not recorded: its verdict does
 * not depend on them.
 */
export const sqlCaseRecorder: CaseRecorder<SqlTypes> = {
  expected: ({ expectedSql }) => expectedSql,
  identity: ({ kind, id, question, expectedSql, engine, dialect, asOf, compare }) => ({
    ...{ kind, id, question, expectedSql, engine, dialect, asOf, compare },
  }),
  findings: ({ structure, results }) => ({
    structure,
    results: results === undefined ? undefined : truncateCells(results),
  }),
  // The stored JSON was written by this recorder, so its shape is trusted.
  restore: (score, { structure, results }) => ({
    ...score,
    // A judge's word proves no repair, so that it has to be known of an earlier answer too.
    by: isJudgedEquivalent(score, results) ? 'judge' : score.by,
    structure: structure as SqlTypes['score']['structure'],
    results,
  }),
}

function isJudgedEquivalent({ verdict }: Score, results: ResultFinding | undefined): boolean {
  return verdict === 'pass' && results?.kind === 'match' && results.judge?.answer === 'equivalent'
}

const cellCharacters = 200

/**
 * Shortens long cells: rows are evidence for people, and a megabyte of text says no more than its beginning.
 */
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
