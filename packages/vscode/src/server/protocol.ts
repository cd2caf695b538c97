// What the server of the core package says; only types, so that nothing of it is packed here.

export type { MappingWithRun } from '../../../../src/app/registry/last-runs.js'
export type { CaseInFile, CasesOfFile } from '../../../../src/app/serve/benchmark-cases.js'
export type { ChangedLine as Survivor, GeneratedTest } from '../../../../src/app/serve/generate-for-editor.js'
export type { CoveredFile, ParsedFunction, TestResult } from '../../../../src/app/serve/protocol.js'
export type { RepairPlan } from '../../../../src/app/serve/repair-plan.js'
export type { GateRecord } from '../../../../src/store/gate-rows.js'

/** Version of the methods that this client speaks. */
export const protocolVersion = 1
