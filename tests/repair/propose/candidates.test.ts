import { describe, expect, it } from 'vitest'
import { clusterDiagnoses } from '../../../src/repair/diagnose/cluster-diagnoses.js'
import type { Diagnosis, RepairTypes } from '../../../src/repair/model/diagnosis.js'
import type { RepairPlan } from '../../../src/repair/model/repair-plan.js'
import { candidatesOf } from '../../../src/repair/propose/candidates.js'
import type { Planner } from '../../../src/repair/propose/rule-planner.js'
import { snapshotOf } from '../../kb/knowledge-files.js'
import { diagnosisOf } from '../repair-input.js'

/** A case that fails because of a metric, and the changes with which it passes, best first. */
interface FailingCase {
  readonly id: string
  readonly metric: string
  readonly fixedBy: readonly string[]
}

const fixes = new Map<string, readonly string[]>()

function fixesOf({ evaluation }: Diagnosis): readonly string[] {
  return fixes.get(evaluation.testCase.id) ?? []
}

function diagnosed({ id, metric, fixedBy }: FailingCase): Diagnosis {
  fixes.set(id, fixedBy)
  return diagnosisOf(id, metric)
}

/** Proposes the changes with which every case that it is shown passes. */
const planner: Planner<RepairTypes> = {
  propose(diagnoses) {
    const [first, ...rest] = diagnoses.map(fixesOf)
    const shared = (first ?? []).filter((change) => rest.every((other) => other.includes(change)))
    const subject = diagnoses[0]?.subject ?? ''
    const plans = shared.map((change): RepairPlan => {
      return {
        label: 'wrong_definition',
        subject,
        title: change,
        reasoning: '',
        edits: [{ kind: 'edit_snippet', path: subject, search: 'a', replace: change }],
        cases: diagnoses.map(({ evaluation }) => evaluation.testCase),
        goldExposed: true,
        size: 1,
        signature: change,
      }
    })
    return plans.length > 0 ? { plans } : { plans, abstained: 'no change fixes all' }
  },
  isExpected: (plan, diagnosis) => fixesOf(diagnosis).includes(plan.title),
  withOneFault: undefined,
}

async function candidatesFor(
  cases: readonly FailingCase[],
  exhausted: ReadonlySet<string> = new Set(),
  by: Planner<RepairTypes> = planner,
) {
  const words = { entries: 'snippets', expected: 'expected query', expectedPlural: 'expected queries' }
  const context = { planner: by, snapshot: snapshotOf({}), exhausted, words }
  const found = await candidatesOf(clusterDiagnoses(cases.map(diagnosed)), context)
  return found.map((candidate) => ({
    key: candidate.key,
    cases: candidate.diagnoses.map(({ evaluation }) => evaluation.testCase.id),
    plans: candidate.plans.map(({ title }) => title),
    contradicting: candidate.contradicting.map(({ evaluation }) => evaluation.testCase.id),
  }))
}

describe('candidatesOf', () => {
  it('makes one candidate of the cases of one cause', async () => {
    const cases = [
      { id: 'a', metric: 'm', fixedBy: ['x'] },
      { id: 'b', metric: 'm', fixedBy: ['y', 'x'] },
    ]
    expect(await candidatesFor(cases)).toMatchObject([
      { key: 'definition:m', cases: ['a', 'b'], plans: ['x'], contradicting: [] },
    ])
  })

  it('joins clusters whose best plan is the same change, and tries each on its own once that is used up', async () => {
    const cases = [
      { id: 'a', metric: 'm', fixedBy: ['x'] },
      { id: 'b', metric: 'n', fixedBy: ['x'] },
      { id: 'c', metric: 'o', fixedBy: ['y'] },
    ]
    expect(await candidatesFor(cases)).toMatchObject([
      { key: 'same:x', cases: ['a', 'b'], plans: ['2 snippets: x'] },
      { key: 'definition:o', cases: ['c'] },
    ])
    expect((await candidatesFor(cases, new Set(['same:x']))).map(({ key }) => key)).toEqual([
      'definition:m',
      'definition:n',
      'definition:o',
    ])
  })

  it('names the one file that the clusters share', async () => {
    const cases = ['a', 'b'].map((id) => ({ id, metric: id, fixedBy: ['x'] }))
    const inOneFile: Planner<RepairTypes> = {
      ...planner,
      propose: (diagnoses, snapshot) => {
        const { plans } = planner.propose(diagnoses, snapshot)
        const at = (plan: RepairPlan) => plan.edits.map((edit) => ({ ...edit, path: 'kb/snippets/mix.sql' }))
        return { plans: plans.map((plan) => ({ ...plan, edits: at(plan) })) }
      },
    }
    expect((await candidatesFor(cases, new Set(), inOneFile))[0]?.plans).toEqual(['mix.sql: x'])
  })

  it('tries the cases that show one of two faults first, and all of them once those are used up', async () => {
    const cases = ['a', 'b'].map((id) => ({ id, metric: 'm', fixedBy: ['x'] }))
    const ofFirst: Planner<RepairTypes> = {
      ...planner,
      withOneFault: (_, diagnoses) => diagnoses.slice(0, 1),
    }
    expect(await candidatesFor(cases, new Set(), ofFirst)).toMatchObject([
      { key: 'definition:m:named', cases: ['a'], plans: ['x'] },
    ])
    expect(await candidatesFor(cases, new Set(['definition:m:named']), ofFirst)).toMatchObject([
      { key: 'definition:m', cases: ['a', 'b'], plans: ['x'] },
    ])
  })

  it('leaves two cases out that contradict the five others', async () => {
    const agreeing = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, metric: 'm', fixedBy: ['x'] }))
    const outliers = [
      { id: 'p', metric: 'm', fixedBy: ['z'] },
      { id: 'q', metric: 'm', fixedBy: [] },
    ]
    expect(await candidatesFor([...outliers, ...agreeing])).toMatchObject([
      { cases: ['a', 'b', 'c', 'd', 'e'], plans: ['x'], contradicting: ['p', 'q'] },
    ])
  })

  it('finds that all contradict each other where no side is the larger', async () => {
    const cases = [
      { id: 'a', metric: 'm', fixedBy: ['x'] },
      { id: 'b', metric: 'm', fixedBy: ['y'] },
    ]
    expect(await candidatesFor(cases)).toMatchObject([{ plans: [], contradicting: ['a', 'b'] }])
  })

  it('finds no contradiction where only some lead to a plan: the others may ask for more', async () => {
    const cases = [
      { id: 'a', metric: 'm', fixedBy: ['x'] },
      { id: 'b', metric: 'm', fixedBy: [] },
    ]
    expect(await candidatesFor(cases)).toMatchObject([{ plans: [], contradicting: [] }])
  })
})
