import { expect, it } from 'vitest'
import { mergeQuestions } from '../../src/store/merge-questions.js'
import type { QuestionDraft } from '../../src/store/question-types.js'

const draft = (ids: readonly string[], places: readonly string[]): QuestionDraft => ({
  kind: 'conflicting_intent',
  subject: 'metric gmv',
  question: `about ${ids.join(', ')}`,
  change: undefined,
  statements: places.map((place) => ({ text: 'counts all', place })),
  cases: ids.map((id) => ({ id, changed: undefined, answer: undefined })),
  options: [],
})

it('asks once about a subject, with the cases and the words of both questions', () => {
  const merged = mergeQuestions(draft(['a', 'b'], ['n.md:1']), draft(['b', 'c'], ['n.md:1', 'n.md:9']))
  expect(merged.cases.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  expect(merged.statements.map(({ place }) => place)).toEqual(['n.md:1', 'n.md:9'])
  expect(merged.question).toBe('which is right: metric gmv as it is, or what a, b, c expect?')
  expect(merged.options.map(({ how }) => how)).toEqual([
    'replace the expected queries of a, b, c with the queries below',
    'autotest --follow-benchmark a --follow-benchmark b --follow-benchmark c',
  ])
})
