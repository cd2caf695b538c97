import type { BenchmarkCase } from '../benchmark/case.js'
import type { Score } from './score.js'

/** The types of one kind of case: text-to-SQL has its own, the tests domain has others. */
export interface DomainTypes {
  readonly case: BenchmarkCase
  readonly score: Score
}
