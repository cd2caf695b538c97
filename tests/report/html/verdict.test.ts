import { expect, it } from 'vitest'
import { verdictOf } from '../../../packages/report-page/src/verdict.js'

type Given = Parameters<typeof verdictOf>[0]

const given = (
  counts: Partial<Given['summary']>,
  run: Partial<Given['run']> = {},
  questions: unknown[] = [],
): Given =>
  ({
    run: { id: 'r-1', status: 'finished', ...run },
    summary: {
      total: 4,
      passed: 0,
      repaired: 0,
      failed: 0,
      unproven: 0,
      errored: 0,
      pending: 0,
      skipped: 0,
      ...counts,
    },
    questions,
  }) as unknown as Given

it.each([
  ['all is right', given({ passed: 3, repaired: 1 }), 'passed', 'All 4 cases are right · 1 repaired'],
  ['a wrong case', given({ passed: 3, failed: 1 }), 'failed', '1 of 4 cases needs a person'],
  [
    'repairs of a dry run are not written: nothing is right yet',
    given({ passed: 2, pending: 2 }),
    'pending',
    '2 wrong with a verified repair, not written yet: autotest apply r-1',
  ],
  ['a decision waits', given({ passed: 4 }, {}, [{}]), 'pending', '1 decision waits'],
  [
    'cases that were not run',
    given({ passed: 3, skipped: 1 }),
    'pending',
    '3 of 4 cases are right · 1 not run',
  ],
  [
    'a run that ended early',
    given({ passed: 4 }, { failure: 'disk full' }),
    'failed',
    '4 of 4 cases are right',
  ],
  ['no case', given({ total: 0 }), 'pending', 'No case was run'],
])('%s', (_, data, state, text) => {
  expect(verdictOf(data)).toEqual({ state, text })
})
