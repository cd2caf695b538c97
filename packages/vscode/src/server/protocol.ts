// What the server of the core package says; only types, so that nothing of it is packed here.

export type { MappingWithRun } from '../../../../src/app/registry/last-runs.js'
export type { CaseInFile, CasesOfFile } from '../../../../src/app/serve/benchmark-cases.js'
export type { GeneratedTest } from '../../../../src/app/serve/generate-for-editor.js'
export type { CoveredFile, ParsedFunction, TestResult } from '../../../../src/app/serve/protocol.js'
export type { GateRecord } from '../../../../src/store/gate-rows.js'

/** Version of the methods that this client speaks. */
export const protocolVersion = 1

/** A change of a function that no test notices. */
export interface Survivor {
  readonly number: number
  readonly line: number
  readonly before: string
  readonly after: string
}

/** The verified repairs of a dry run. */
export interface RepairPlan {
  readonly run: string
  readonly repairs: readonly {
    readonly id: string
    readonly title: string
    readonly changes: readonly {
      /** Relative to the root. */
      readonly path: string
      readonly before: string | null
      readonly after: string | null
    }[]
  }[]
}
