import type { Score } from '../../contracts/score.js'
import type { Diagnosis } from '../../repair/model/diagnosis.js'
import type { Trace } from '../../subagent/runner/trace.js'
import type { TestsCase } from './tests-case.js'
import type { ToolCase } from './tool-case.js'

/** A change of the function that its tests do not notice, or do. */
export interface Survivor {
  readonly line: number
  readonly before: string
  readonly after: string
}

/** What tests were found to do. */
export interface TestsFindings {
  /** Number of tests in the file, and of those that were not there before. */
  readonly tests: number
  readonly newTests: number
  readonly mutants: {
    readonly total: number
    readonly killed: number
    /** Those that other tests can kill; undefined where none are known. */
    readonly killable: number | undefined
    readonly killableKilled: number | undefined
  }
  /** Of the function: lines and branches that ran. */
  readonly lines: { readonly taken: number; readonly total: number }
  readonly branches: { readonly taken: number; readonly total: number }
  /** Whether the version with a bug makes a test fail; undefined without one. */
  readonly catchesBug: boolean | undefined
  /** Killable mutants that survive, the first ones. */
  readonly survivors: readonly Survivor[]
  /** What is wrong, or only odd, in words. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

export interface TestsScore extends Score {
  /** Absent where the tests were not run. */
  readonly findings?: TestsFindings | undefined
  /** How a tool's result differs from what its probe says, one line each. */
  readonly differences?: readonly string[] | undefined
}

/** Unit tests: a function and the tests that an agent writes for it; and the tools that it works with. */
export interface TestsTypes {
  readonly case: TestsCase | ToolCase
  readonly score: TestsScore
  readonly diagnosis: TestsDiagnosis
}

/** Why the tests of a case are not good, and which tool is at fault. */
export interface TestsDiagnosis extends Diagnosis<TestsTypes> {
  readonly trace: Trace | undefined
}
