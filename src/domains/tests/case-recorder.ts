import type { CaseRecorder } from '../../run/case-records.js'
import type { TestsFindings, TestsTypes } from './tests-domain-types.js'

/** Records of cases about unit tests. */
export const testsCaseRecorder: CaseRecorder<TestsTypes> = {
  expected: ({ minMutationScore }) =>
    minMutationScore === undefined ? '' : `at least ${minMutationScore} of the killable mutants`,
  identity: ({ kind, id, file, function: name, spec, minMutationScore, buggy, expectedTests }) => ({
    ...{ kind, id, file, name, spec, minMutationScore, buggy, expectedTests },
  }),
  findings: ({ findings }) => ({
    structure: undefined,
    results: undefined,
    differences: findings === undefined ? undefined : differencesOf(findings),
    findings,
  }),
  // The stored JSON was written by this recorder, so its shape is trusted.
  restore: (score, { findings }) => ({ ...score, findings: findings as TestsFindings | undefined }),
}

/** Returns what is wrong with tests, one line each. */
function differencesOf({ problems, survivors, catchesBug }: TestsFindings): string[] {
  return [
    ...problems,
    ...(catchesBug === false ? ['the version with a bug passes'] : []),
    ...survivors.map(({ line, before, after }) => `survives: line ${line}: ${before} → ${after}`),
  ]
}
