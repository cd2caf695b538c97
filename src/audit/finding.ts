import type { SqlCase } from '../benchmark/case.js'
import type { Mutant } from './mutants.js'

/** The kinds of problems of a benchmark, worst first. */
export const findingKinds = [
  'expected_fails',
  'nondeterministic',
  'expected_cut',
  'contradicting',
  'empty',
  'unreadable',
  'survivors',
  'duplicate',
  'reads_nothing',
  'unread_entry',
] as const

export type FindingKind = (typeof findingKinds)[number]

export interface Finding {
  readonly kind: FindingKind
  /** Id of a case, or of an entry of the knowledge base. */
  readonly subject: string
  readonly file: string
  readonly line: number
  /** The finding in one sentence. */
  readonly text: string
  /** How to fix it. */
  readonly advice: string
  /** For `survivors`: the mutants that the data do not distinguish from the expected query. */
  readonly mutants?: readonly Mutant[] | undefined
}

/** Counts of the mutants of one case or of all. */
export interface MutantCounts {
  readonly tried: number
  /** Other rows than the expected query on the database, or rejected by it. */
  readonly toldApart: number
  /** Equal rows on the database, other rows on one of its copies. */
  readonly byCopies: number
  /** Equal rows, and proved to be equivalent: no data can distinguish them. */
  readonly equivalent: number
  readonly surviving: number
  /** Stopped at the deadline or the memory limit. */
  readonly undecided: number
  /** Mutants not tried, of queries too long to try all. */
  readonly leftOut: number
}

export const noMutants: MutantCounts = {
  tried: 0,
  toldApart: 0,
  byCopies: 0,
  equivalent: 0,
  surviving: 0,
  undecided: 0,
  leftOut: 0,
}

export function addCounts(a: MutantCounts, b: MutantCounts): MutantCounts {
  return {
    tried: a.tried + b.tried,
    toldApart: a.toldApart + b.toldApart,
    byCopies: a.byCopies + b.byCopies,
    equivalent: a.equivalent + b.equivalent,
    surviving: a.surviving + b.surviving,
    undecided: a.undecided + b.undecided,
    leftOut: a.leftOut + b.leftOut,
  }
}

export interface CaseAudit {
  readonly id: string
  readonly file: string
  readonly line: number
  readonly mutants: MutantCounts
  /** Descriptions of the mutants that were proved to be equivalent. */
  readonly equivalent: readonly string[]
}

export interface AuditReport {
  readonly cases: readonly CaseAudit[]
  /** Worst kind first, then in the order of the benchmark. */
  readonly findings: readonly Finding[]
}

/** Creates a finding about the expected query of a case. */
export function queryFinding(
  testCase: SqlCase,
  kind: FindingKind,
  text: string,
  advice: string,
  mutants?: readonly Mutant[],
): Finding {
  const { file, line } = testCase.sqlLocation
  return { kind, subject: testCase.id, file, line, text, advice, mutants }
}

export function sortBySeverity(findings: readonly Finding[]): Finding[] {
  const rank = ({ kind }: Finding): number => findingKinds.indexOf(kind)
  return findings.toSorted((a, b) => rank(a) - rank(b))
}
