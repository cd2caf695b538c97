import type { CaseRecorder } from '../../run/case-records.js'
import type { TestsFindings, TestsTypes } from './tests-domain-types.js'

/** Records of cases about unit tests, and about the tools of their writer. */
export const testsCaseRecorder: CaseRecorder<TestsTypes> = {
  expected(testCase) {
    if (testCase.kind === 'tool') return JSON.stringify(testCase.probe.output ?? null)
    const { minMutationScore } = testCase
    return minMutationScore === undefined ? '' : `at least ${minMutationScore} of the killable mutants`
  },
  identity(testCase) {
    const { kind, id } = testCase
    if (testCase.kind === 'tool') return { kind, id, tool: testCase.tool, probe: testCase.probe }
    const { file, function: name, spec, minMutationScore, buggy, expectedTests } = testCase
    return { kind, id, file, name, spec, minMutationScore, buggy, expectedTests }
  },
  findings: ({ findings, differences }) => ({
    structure: undefined,
    results: undefined,
    differences: differences ?? (findings === undefined ? undefined : differencesOf(findings)),
    findings,
  }),
  // The stored JSON was written by this recorder, so its shape is trusted.
  restore: (score, { findings, differences }) => ({
    ...score,
    findings: findings as TestsFindings | undefined,
    ...(findings === undefined && differences !== undefined ? { differences } : {}),
  }),
}

/** Returns what is wrong with tests, one line each. */
function differencesOf({ problems, survivors, catchesBug }: TestsFindings): string[] {
  return [
    ...problems,
    ...(catchesBug === false ? ['the version with a bug passes'] : []),
    ...survivors.map(({ line, before, after }) => `survives: line ${line}: ${before} → ${after}`),
  ]
}
