import { z } from 'zod'
import type { BenchmarkCase } from '../../../src/benchmark/case.js'
import { type CaseKind, caseKind } from '../../../src/benchmark/case-kind.js'
import { caseFields, filled } from '../../../src/benchmark/schema.js'
import type { CaseRunner } from '../../../src/contracts/case-runner.js'
import { type Score, scoreAgentError, scoreNoAnswer, scoreUnreadable } from '../../../src/contracts/score.js'
import type { Diagnosis } from '../../../src/repair/model/diagnosis.js'
import type { RepairDomain } from '../../../src/repair/model/repair-domain.js'
import type { RepairPlan } from '../../../src/repair/model/repair-plan.js'
import type { CaseRecorder } from '../../../src/run/case-records.js'
import { readText, type Snapshot } from '../../../src/snapshot/snapshot.js'

/**
 * A second domain, as small as one can be: cases ask for a text ("welcome Ann"), an agent fills the template of that name
 * (`texts/welcome.md`), and a repair rewrites the template.
 */
export interface TextCase extends BenchmarkCase {
  readonly kind: 'text'
  readonly expectedText: string
}

export interface TextTypes {
  readonly case: TextCase
  readonly score: Score & { readonly differences?: readonly string[] }
  readonly diagnosis: Diagnosis<TextTypes>
}

export const textCaseKind: CaseKind<TextCase> = caseKind(
  z.strictObject({ kind: z.literal('text'), ...caseFields, expected_text: filled }),
  ({ id, question, expected_text, tags }, _, locate): TextCase => ({
    kind: 'text',
    id,
    question,
    expectedText: expected_text.trim(),
    tags: tags ?? [],
    location: locate(),
  }),
)

const slot = '{{ name }}'

function templatePath(question: string): string {
  return `texts/${question.split(' ')[0]}.md`
}

function nameIn(question: string): string {
  return question.split(' ').slice(1).join(' ')
}

function fill(question: string, snapshot: Snapshot): string | undefined {
  return readText(snapshot, templatePath(question))?.trim().replaceAll(slot, nameIn(question))
}

export const textRunner: CaseRunner<TextTypes> = {
  agent: { name: 'templates', deterministic: true },
  hasJudge: false,
  async ask({ question }, snapshot) {
    const text = fill(question, snapshot)
    const read = [templatePath(question)]
    return text === undefined
      ? { kind: 'no_answer', message: 'there is no such template', read, ms: 0 }
      : { kind: 'answer', text, read, ms: 0 }
  },
  async score({ expectedText }, sample) {
    if (sample.kind === 'error') return scoreAgentError(sample.message)
    if (sample.kind === 'unreadable') return scoreUnreadable(sample.message)
    if (sample.kind === 'no_answer') return scoreNoAnswer(sample.message)
    if (sample.text === expectedText) return { verdict: 'pass', by: 'results', reason: 'the texts are equal' }
    const differences = [`expected "${expectedText}", got "${sample.text}"`]
    return { verdict: 'fail', reason: 'the texts differ', differences }
  },
  scoringKey: ({ id, question, expectedText }) => JSON.stringify([id, question, expectedText]),
}

export const textRecorder: CaseRecorder<TextTypes> = {
  expected: ({ expectedText }) => expectedText,
  identity: ({ kind, id, question, expectedText }) => ({ kind, id, question, expectedText }),
  findings: ({ differences }) => ({ structure: undefined, results: undefined, differences }),
  restore: (score, { differences }) => ({ ...score, ...(differences && { differences }) }),
}

/** The template that the first case expects, with a place for the name; it has to be what every case expects. */
function rewrite(
  diagnoses: readonly TextTypes['diagnosis'][],
  snapshot: Snapshot,
): RepairPlan<TextTypes> | undefined {
  const [first, ...others] = diagnoses.map(({ evaluation }) => evaluation.testCase)
  const path = first && templatePath(first.question)
  const text = path && readText(snapshot, path)?.trim()
  if (first === undefined || path === undefined || text === undefined) return undefined
  const wanted = first.expectedText.replaceAll(nameIn(first.question), slot)
  if (!others.every((each) => wanted.replaceAll(slot, nameIn(each.question)) === each.expectedText))
    return undefined
  return {
    label: 'wrong_definition',
    subject: `template ${path}`,
    title: `${path}: another text`,
    reasoning: 'every failing case expects it',
    edits: [{ kind: 'edit_note', path, search: text, replace: wanted }],
    cases: [first, ...others],
    goldExposed: true,
    size: wanted.length,
    signature: wanted,
  }
}

export const textRepair: RepairDomain<TextTypes> = {
  diagnoser: {
    diagnose: (evaluation) => ({
      evaluation,
      label: 'wrong_definition',
      subject: `template ${templatePath(evaluation.testCase.question)}`,
      cause: evaluation.score.reason,
      cluster: templatePath(evaluation.testCase.question),
    }),
    outlives: ({ subject }, repair) => subject !== repair.subject,
  },
  rules: {
    propose({ diagnoses }, snapshot) {
      const plan = rewrite(diagnoses, snapshot)
      return plan === undefined
        ? { plans: [], abstained: 'its cases expect different texts' }
        : { plans: [plan] }
    },
    resolvesToExpected: ({ evaluation: { testCase } }, candidate) =>
      fill(testCase.question, candidate) === testCase.expectedText,
  },
  validator: {
    checkPlace: ({ path }) => {
      if (!path.startsWith('texts/')) throw new Error(`${path} is no template`)
    },
    check: () => undefined,
  },
  prover: {
    twins: async (cases) => ({
      toVary: new Set(['name']),
      twins: cases.map((testCase) => {
        const [name, other] = [nameIn(testCase.question), 'Zoe']
        const question = testCase.question.replace(name, other)
        const expectedText = testCase.expectedText.replaceAll(name, other)
        return {
          parameter: 'name',
          testCase: { ...testCase, id: `${testCase.id}#${other}`, question, expectedText },
        }
      }),
    }),
    mostTwins: (diagnoses) => diagnoses.length,
    changesAnswers: () => true,
    entriesEdited: ({ edits }) => new Set(edits.map(({ path }) => path)),
    entriesConcerned: (diagnoses) =>
      new Set(diagnoses.map(({ evaluation }) => templatePath(evaluation.testCase.question))),
  },
  reviewer: { concerns: () => [], isStructurallyEqual: () => true },
  explainer: {
    passingSiblings: () => [],
    sharesSubject: (evaluation, { subject }) =>
      evaluation !== undefined && subject === `template ${templatePath(evaluation.testCase.question)}`,
    asksForSubjectAlone: () => true,
    subjectOfPassing: ({ subject }) => subject,
    words: { entries: 'templates', expected: 'expected text', expectedPlural: 'expected texts' },
  },
}
