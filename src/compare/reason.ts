import type { SqlCase } from '../benchmark/case.js'
import type { StructureFinding } from '../sql/finding.js'
import type { ResultFinding } from './score.js'
import type { VerdictDecision } from './verdict.js'

/** The line that tells people why a sample got its verdict. */
export function reasonFor(
  decision: VerdictDecision,
  structure: StructureFinding | undefined,
  results: ResultFinding,
  testCase: SqlCase,
): string {
  if (results.kind === 'expected_failed') {
    const { file, line } = testCase.sqlLocation
    return `expected_sql fails: ${results.message} (${file}:${line})`
  }
  if (decision.errorCause === 'suspect_oracle' && results.kind === 'cut') {
    const { file, line } = testCase.sqlLocation
    return `expected_sql is cut: ${results.message} (${file}:${line})`
  }
  if (decision.verdict === 'pass') return decision.by === 'structure' ? 'equal structure' : 'equal results'
  const parts = [structureWords(structure), resultWords(results, structure)].filter((part) => part !== '')
  if (decision.verdict === 'unproven' && results.kind === 'match')
    parts.push('--policy results would accept it')
  return parts.join('; ')
}

function structureWords(structure: StructureFinding | undefined): string {
  switch (structure?.kind) {
    case undefined:
    case 'equal':
      return ''
    case 'unparsable':
      return `${structure.side} SQL cannot be parsed: ${structure.message}`
    case 'equal_if':
      return `equal only if ${structure.assumptions.join(' and ')}`
    case 'different':
      return structure.differences.length === 0
        ? 'structure differs'
        : structure.differences.map((difference) => difference.text).join('; ')
  }
}

function resultWords(results: ResultFinding, structure: StructureFinding | undefined): string {
  const equal = structure?.kind === 'equal' ? 'equal structure, but ' : ''
  switch (results.kind) {
    case 'match':
      return results.empty ? 'both results are empty' : 'results match on the one database'
    case 'mismatch':
      return `${equal}${mismatchWords(results.comparison)}`
    case 'cut':
      return `${equal}${results.message}`
    case 'generated_failed':
      return `${equal}SQL ${howWords[results.how]}: ${results.message}`
    case 'expected_failed':
      return `expected_sql fails: ${results.message}`
    case 'skipped':
      return structure?.kind === 'equal' || structure === undefined ? results.reason : ''
  }
}

const howWords = { failed: 'fails', refused: 'is refused', killed: 'was stopped' } as const

function mismatchWords(comparison: Extract<ResultFinding, { kind: 'mismatch' }>['comparison']): string {
  const [first] = comparison.differences
  if (first?.kind === 'columns' || first?.kind === 'order') return first.text
  const rows = Math.max(comparison.expectedRows, comparison.actualRows)
  return `${comparison.differing} of ${rows} rows differ`
}
