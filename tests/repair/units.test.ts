import { describe, expect, it } from 'vitest'
import type { Diagnosis, Proposals, RepairPlan } from '../../src/domains/sql/repair/model/plan.js'
import { clusterDiagnoses } from '../../src/repair/triage/cluster.js'
import { type Planner, planCandidates } from '../../src/repair/units.js'
import type { Evaluation } from '../../src/run/evaluate.js'
import { caseOf } from './setting.js'

/** A case that is served by the plans in `serves`, in that order. */
interface Served {
  readonly id: string
  readonly metric: string
  readonly serves: readonly string[]
}

const served = new Map<string, readonly string[]>()

function diagnosisOf({ id, metric, serves }: Served): Diagnosis {
  served.set(id, serves)
  const sample = { kind: 'answer', text: 'SELECT 1', read: 'all', ms: 0 } as const
  const score = { verdict: 'fail', reason: '' } as const
  const evaluation: Evaluation = { testCase: caseOf(id, id, 'SELECT 1'), sample, score, ms: 0 }
  return {
    evaluation,
    label: 'wrong_definition',
    subject: `metric ${metric}`,
    cause: '',
    cluster: `definition:${metric}`,
    interpretation: {
      kind: 'unbound',
      reason: 'no_metric',
      message: '',
      bindings: [],
      missing: [],
      leftovers: [],
    },
  }
}

/** Proposes what serves every case it is shown. */
const planner: Planner = {
  propose(diagnoses): Proposals {
    const [first, ...rest] = diagnoses.map(({ evaluation }) => served.get(evaluation.testCase.id) ?? [])
    const shared = (first ?? []).filter((change) => rest.every((other) => other.includes(change)))
    const plans = shared.map((change): RepairPlan => {
      return {
        label: 'wrong_definition',
        subject: diagnoses[0]?.subject ?? '',
        title: change,
        reasoning: '',
        edits: [{ kind: 'edit_snippet', path: diagnoses[0]?.subject ?? '', search: 'a', replace: change }],
        cases: diagnoses.map(({ evaluation }) => evaluation.testCase),
        goldExposed: true,
        size: 1,
        signature: change,
      }
    })
    return plans.length > 0 ? { plans } : { plans, abstained: 'nothing serves all' }
  },
  satisfies: (plan, { evaluation }) => (served.get(evaluation.testCase.id) ?? []).includes(plan.title),
}

function unitsOf(cases: readonly Served[], givenUp: ReadonlySet<string> = new Set()) {
  return planCandidates(clusterDiagnoses(cases.map(diagnosisOf)), planner, givenUp).map((unit) => ({
    key: unit.key,
    cases: unit.diagnoses.map(({ evaluation }) => evaluation.testCase.id),
    plans: unit.plans.map(({ title }) => title),
    odd: unit.contradicting.map(({ evaluation }) => evaluation.testCase.id),
  }))
}

describe('planUnits', () => {
  it('makes one unit of the cases of one cause', () => {
    const cases = [
      { id: 'a', metric: 'm', serves: ['x'] },
      { id: 'b', metric: 'm', serves: ['y', 'x'] },
    ]
    expect(unitsOf(cases)).toMatchObject([{ key: 'definition:m', cases: ['a', 'b'], plans: ['x'], odd: [] }])
  })

  it('joins clusters whose best plan is the same change, and their parts come back once that is given up', () => {
    const cases = [
      { id: 'a', metric: 'm', serves: ['x'] },
      { id: 'b', metric: 'n', serves: ['x'] },
      { id: 'c', metric: 'o', serves: ['y'] },
    ]
    expect(unitsOf(cases)).toMatchObject([
      { key: 'same:x', cases: ['a', 'b'], plans: ['2 snippets: x'] },
      { key: 'definition:o', cases: ['c'] },
    ])
    expect(unitsOf(cases, new Set(['same:x'])).map(({ key }) => key)).toEqual([
      'definition:m',
      'definition:n',
      'definition:o',
    ])
  })

  it('names the one snippet that the clusters share', () => {
    const cases = ['a', 'b'].map((id) => diagnosisOf({ id, metric: id, serves: ['x'] }))
    const inOneFile: Planner = {
      ...planner,
      propose: (diagnoses) => {
        const { plans } = planner.propose(diagnoses)
        const at = (plan: RepairPlan) => plan.edits.map((edit) => ({ ...edit, path: 'kb/snippets/mix.sql' }))
        return { plans: plans.map((plan) => ({ ...plan, edits: at(plan) })) }
      },
    }
    const [unit] = planCandidates(clusterDiagnoses(cases), inOneFile, new Set())
    expect(unit?.plans.map(({ title }) => title)).toEqual(['mix.sql: x'])
  })

  it('sets two odd ones aside where five agree', () => {
    const agreeing = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, metric: 'm', serves: ['x'] }))
    const odd = [
      { id: 'p', metric: 'm', serves: ['z'] },
      { id: 'q', metric: 'm', serves: [] },
    ]
    expect(unitsOf([...odd, ...agreeing])).toMatchObject([
      { cases: ['a', 'b', 'c', 'd', 'e'], plans: ['x'], odd: ['p', 'q'] },
    ])
  })

  it('calls all suspect where no side is the larger', () => {
    const cases = [
      { id: 'a', metric: 'm', serves: ['x'] },
      { id: 'b', metric: 'm', serves: ['y'] },
    ]
    expect(unitsOf(cases)).toMatchObject([{ plans: [], odd: ['a', 'b'] }])
  })

  it('calls nobody suspect where only some lead to a plan: the others may ask for more', () => {
    const cases = [
      { id: 'a', metric: 'm', serves: ['x'] },
      { id: 'b', metric: 'm', serves: [] },
    ]
    expect(unitsOf(cases)).toMatchObject([{ plans: [], odd: [] }])
  })
})
