import type { RejectedRepair } from '../../../contracts/rejected-repair.js'
import type { RepairDomain } from '../../../repair/model/repair-domain.js'
import type { TestsTypes } from '../tests-domain-types.js'
import { checkPlace, checkPlan, findRejectedChange } from './check-plan.js'
import { diagnose } from './diagnose.js'
import { type RestorationContext, scriptRestorations } from './restorations.js'
import { twinsOf } from './twins.js'

export interface TestsRepairContext extends RestorationContext {
  readonly agentsFolder: string
  /** Repairs that people rejected. */
  readonly rejected: readonly RejectedRepair[]
  /** Returns the text of a file of the Python project; undefined if there is none. */
  readonly read: (file: string) => Promise<string | undefined>
}

/** Creates the steps of the repair loop for the tools of an agent that writes unit tests. */
export function createTestsRepair(context: TestsRepairContext): RepairDomain<TestsTypes> {
  const { benchmark, agentsFolder, read, rejected } = context
  return {
    diagnoser: {
      diagnose,
      outlives: ({ subject }, repair) => subject !== repair.subject,
    },
    rules: {
      propose: () => ({
        plans: [],
        abstained: 'neither a former text of the tool nor a small change of it lets its probes pass',
      }),
      resolvesToExpected: () => false,
    },
    restore: {
      comesFirst: async () => true,
      only: () => false,
      restorations: (diagnoses, snapshot) => scriptRestorations(diagnoses, snapshot, context),
    },
    validator: {
      checkPlace: (edit) => checkPlace(edit, agentsFolder),
      check: (plan, snapshot, candidate) =>
        findRejectedChange(plan, rejected, snapshot, candidate) ??
        checkPlan(plan, benchmark, snapshot, candidate),
    },
    prover: {
      async twins(cases, _snapshot, _candidate, inconclusive) {
        const twins = (await twinsOf(cases, read)).filter(({ testCase }) => !inconclusive.has(testCase.id))
        return { twins, toVary: new Set(twins.map(({ parameter }) => parameter)) }
      },
      mostTwins: (diagnoses) => 2 * diagnoses.length,
      changesAnswers: () => true,
      entriesEdited: ({ edits }) => new Set(edits.map(({ path }) => path)),
      entriesConcerned: (diagnoses) => new Set(diagnoses.flatMap(({ cluster }) => cluster ?? [])),
    },
    reviewer: { concerns: () => [], isStructurallyEqual: () => true },
    explainer: {
      passingSiblings: () => [],
      sharesSubject: (evaluation, { cluster }) =>
        evaluation !== undefined &&
        cluster !== undefined &&
        evaluation.sample.kind !== 'error' &&
        evaluation.sample.read !== 'all' &&
        evaluation.sample.read.includes(cluster),
      // A passing case that called the tool does not contradict one that fails.
      asksForSubjectAlone: () => false,
      subjectOfPassing: ({ subject }) => subject,
      words: { entries: 'tools', expected: 'expected result', expectedPlural: 'expected results' },
    },
  }
}
