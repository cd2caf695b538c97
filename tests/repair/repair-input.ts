import type { BenchmarkCase } from '../../src/benchmark/case.js'
import type { Diagnosis, RepairTypes } from '../../src/repair/model/diagnosis.js'
import type { Explainer, Validator } from '../../src/repair/model/repair-domain.js'
import type { RepairInput } from '../../src/repair/model/repair-input.js'
import { initialState, type RepairState } from '../../src/repair/model/repair-state.js'
import { snapshotOf } from '../kb/knowledge-files.js'

/** A case of no particular kind. */
function caseOf(id: string): BenchmarkCase {
  const location = { file: 'benchmarks/b.yaml', line: 1, column: 1 }
  return { kind: 'any', id, question: id, tags: [], location }
}

/** A case of no particular kind that fails because of a metric. */
export function diagnosisOf(id: string, metric = 'revenue'): Diagnosis {
  return {
    evaluation: {
      testCase: caseOf(id),
      sample: { kind: 'answer', text: 'an answer', read: 'all', ms: 0 },
      score: { verdict: 'fail', reason: '' },
      ms: 0,
    },
    label: 'wrong_definition',
    subject: `metric ${metric}`,
    cause: '',
    cluster: `definition:${metric}`,
  }
}

/** What a test gives of a domain. */
interface TestedParts {
  readonly narrator?: Partial<Explainer<RepairTypes>>
  readonly validator?: Partial<Validator<RepairTypes>>
}

/** Input of a repair without cases; each part that a test does not give throws when it is used. */
export function inputOf({ narrator, validator }: TestedParts): RepairInput {
  const unused = (): never => {
    throw new Error('the test does not expect this call')
  }
  return {
    domain: {
      diagnoser: { diagnose: unused, outlives: unused },
      rules: { propose: unused, resolvesToExpected: unused },
      validator: { checkPlace: unused, check: unused, ...validator },
      prover: {
        twins: unused,
        mostTwins: unused,
        changesAnswers: unused,
        entriesEdited: unused,
        entriesConcerned: unused,
      },
      reviewer: { concerns: unused, isStructurallyEqual: unused },
      explainer: {
        passingSiblings: () => [],
        sharesSubject: () => false,
        asksForSubjectAlone: () => true,
        subjectOfPassing: ({ subject }) => subject,
        words: { entries: 'files', expected: 'expected answer', expectedPlural: 'expected answers' },
        ...narrator,
      },
    },
    evaluator: {
      evaluate: unused,
      evaluateAfresh: unused,
      scoreAgain: unused,
      scoreAnswer: unused,
      scoreUnjudged: unused,
      noteAsked: unused,
      estimate: unused,
      agent: { name: 'scripted', deterministic: true },
    },
    concurrency: 1,
    signal: new AbortController().signal,
    snapshot: snapshotOf({}),
    benchmark: [],
    failing: [],
    baseline: new Map(),
    named: new Set(),
    maxRetries: 3,
    minGrade: 'E1',
    writeObstacle: async () => undefined,
    clock: () => 0,
    rules: true,
    llmCalls: () => 0,
    onStart: () => undefined,
    onAttempt: () => undefined,
    onProgress: () => undefined,
  }
}

export function stateOf(more: Partial<RepairState>): RepairState {
  return { ...initialState(inputOf({})), ...more }
}
