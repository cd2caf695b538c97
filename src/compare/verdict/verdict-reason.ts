import type { SqlCase } from '../../benchmark/case.js'
import type { StructuralComparison } from '../../sql/index.js'
import { tellingFirst } from '../../text/telling-first.js'
import type { ResultFinding, RowComparison } from '../model/sql-score.js'
import type { VerdictDecision } from './verdict.js'

/** Returns the line that explains a sample's verdict to people. */
export function verdictReason(
  decision: VerdictDecision,
  structure: StructuralComparison | undefined,
  results: ResultFinding,
  testCase: SqlCase,
): string {
  if (results.kind === 'expected_failed') {
    // The same words for each case, so that they are shown once.
    if (results.setup !== undefined) return results.setup
    const { file, line } = testCase.sqlLocation
    return `expected_sql fails: ${results.message} (${file}:${line})`
  }
  if (decision.errorCause === 'suspect_oracle' && results.kind === 'cut') {
    const { file, line } = testCase.sqlLocation
    return `expected_sql is truncated: ${results.message} (${file}:${line})`
  }
  if (decision.errorCause === 'nondeterministic' && results.kind === 'mismatch') {
    const { file, line } = testCase.sqlLocation
    return `expected_sql is not deterministic: with the same rows stored in another order it returns what the answer returns (${file}:${line})`
  }
  if (decision.verdict === 'pass') return describePass(decision.by, results)
  const parts = [describeStructure(structure), describeResults(results, structure)].filter(
    (part) => part !== '',
  )
  const said = describeJudgement(results)
  if (said !== '') parts.push(said)
  if (decision.verdict === 'unproven') parts.push(...acceptanceHints(results))
  return parts.join('; ')
}

function describePass(by: VerdictDecision['by'], results: ResultFinding): string {
  if (by === 'structure') return 'equal structure'
  return by === 'judge' ? `equal results, and ${describeJudgement(results)}` : equalResults(results)
}

/** Describes the judge's answer, if one was asked. */
function describeJudgement(results: ResultFinding): string {
  const judge = results.kind === 'match' ? results.judge : undefined
  if (judge === undefined) return ''
  const said = { equivalent: 'equivalent', not: 'not equivalent', unsure: 'not sure' }[judge.answer]
  return `judged ${said}${judge.run === undefined ? '' : ` in ${judge.run}`}: ${judge.reason}`
}

function equalResults(results: ResultFinding): string {
  const copies = results.kind === 'match' ? results.copies : undefined
  if (copies?.kind !== 'match') return 'equal results'
  const { informative } = copies
  const empty = copies.copies === informative ? '' : ` (${copies.copies - informative} of them inconclusive)`
  const rests = copies.restsOn === undefined ? '' : `, given ${copies.restsOn.join('; ')}`
  return `equal results, also on ${count(copies.copies, 'fuzzed copy', 'fuzzed copies')}${empty}${rests}`
}

/** Returns how a case whose results match on the database itself can be made to pass. */
function acceptanceHints(results: ResultFinding): readonly string[] {
  const onCopy = results.kind === 'mismatch' || results.kind === 'generated_failed'
  const matched = results.kind === 'match' || (onCopy && results.copy !== undefined)
  if (!matched) return []
  if (results.kind !== 'match' || results.copies?.kind !== 'unavailable')
    return ['--policy results would accept it']
  const { reason, isSource } = results.copies
  if (isSource) return [`${reason}: correct it, or accept with --policy results`]
  return [
    `${reason}: set scoring.fuzz_source to a database that can be copied, or accept with --policy results`,
  ]
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

function describeStructure(structure: StructuralComparison | undefined): string {
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
        : tellingFirst(structure.differences)
            .map((difference) => difference.text)
            .join('; ')
  }
}

function describeResults(results: ResultFinding, structure: StructuralComparison | undefined): string {
  const equal = structure?.kind === 'equal' ? 'equal structure, but ' : ''
  switch (results.kind) {
    case 'match':
      return describeMatch(results)
    case 'mismatch':
      if (results.copy !== undefined) {
        const { index, title } = results.copy
        return `results match on the database, but not on fuzzed copy ${index} (${title}): ${describeMismatch(results.comparison)}`
      }
      return `${equal}${describeMismatch(results.comparison)}`
    case 'cut':
      return `${equal}${results.message}`
    case 'generated_failed':
      if (results.copy !== undefined) {
        const { index, title } = results.copy
        return `results match on the database, but on fuzzed copy ${index} (${title}) SQL fails: ${results.message}`
      }
      return `${equal}SQL ${howWords[results.how]}: ${results.message}`
    case 'expected_failed':
      return `expected_sql fails: ${results.message}`
    case 'skipped':
      return structure?.kind === 'equal' || structure === undefined ? results.reason : ''
  }
}

function describeMatch({ empty, copies }: Extract<ResultFinding, { kind: 'match' }>): string {
  if (empty) return 'both results are empty'
  if (copies?.kind === 'open')
    return `results match, also on ${count(copies.copies, 'fuzzed copy', 'fuzzed copies')}, but ${copies.reason}`
  if (copies?.kind !== 'weak') return 'results match on one database'
  const { informative } = copies
  return `results match, but ${informative === 0 ? 'none' : `only ${informative}`} of ${copies.copies} fuzzed copies could tell the queries apart`
}

const howWords = { failed: 'fails', refused: 'is rejected', killed: 'was stopped' } as const

/** Returns "3 of 10 rows differ", or how the columns or the order of rows differ. */
export function describeMismatch(comparison: RowComparison): string {
  const [first] = comparison.differences
  if (first?.kind === 'columns' || first?.kind === 'order') return first.text
  const rows = Math.max(comparison.expectedRows, comparison.actualRows)
  const untried = comparison.untried === undefined ? '' : ` (${comparison.untried})`
  return `${comparison.differing} of ${rows} rows differ${untried}`
}
