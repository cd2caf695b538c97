import { describe, expect, it } from 'vitest'
import type { RunRequest } from '../../../src/app/run/run-request.js'
import { resumedRequest, storedOptionsOf } from '../../../src/app/run/stored-options.js'
import type { RunRecord } from '../../../src/store/record-types.js'

const request: RunRequest = { cwd: '/project', commit: 'ask' }

function runWith(options: RunRecord['options'], mode: RunRecord['mode'] = 'repair'): RunRecord {
  return {
    id: 'r-1',
    startedAt: '2025-12-31T00:00:00Z',
    finishedAt: undefined,
    status: 'interrupted',
    mode,
    engine: 'none',
    agent: 'template',
    dialect: 'ansi',
    knowledge: '',
    knowledgeAfter: undefined,
    total: 1,
    options,
    decision: 'none',
    exitCode: undefined,
  }
}

describe('the options that are kept of a run', () => {
  it('go by the names of their flags, and recordings by absolute folders', () => {
    const given: RunRequest = {
      ...request,
      ids: ['a'],
      maxLlmCalls: 5,
      repairers: ['llm'],
      record: 'replies',
    }
    expect(storedOptionsOf(given, { selected: [] })).toEqual({
      id: ['a'],
      'max-llm-calls': 5,
      repairer: ['llm'],
      record: '/project/replies',
    })
  })

  it('bring back the request', () => {
    const given: RunRequest = { ...request, tags: ['gmv'], seed: 7, policy: 'both', repeat: 2 }
    const run = runWith(storedOptionsOf(given, { selected: [] }), 'dry_run')
    expect(resumedRequest({ ...request, resume: { run: undefined } }, run)).toEqual({
      ...given,
      mode: 'dry_run',
      maxLlmCalls: undefined,
      maxTokens: undefined,
      maxCost: undefined,
    })
  })
})

describe('a run that goes on', () => {
  it('may be given the same again, and larger budgets', () => {
    const run = runWith({ tags: ['a,b'], 'max-llm-calls': 5 })
    expect(resumedRequest({ ...request, tags: ['a', 'b'], maxLlmCalls: 9 }, run)).toMatchObject({
      tags: ['a', 'b'],
      maxLlmCalls: 9,
    })
  })

  it('is refused other options, another mode and other cases', () => {
    const run = runWith({ seed: 7 })
    const resume = (given: Partial<RunRequest>) => () => resumedRequest({ ...request, ...given }, run)
    expect(resume({ seed: 8 })).toThrow(
      '--seed 8: run r-1 was started with --seed 7, and continues the same way',
    )
    expect(resume({ tags: ['a'] })).toThrow(
      '--tags a: run r-1 was started without --tags, and continues the same way',
    )
    expect(resume({ mode: 'dry_run' })).toThrow('--dry-run: run r-1 was started without --dry-run')
    expect(resume({ lastFailed: true })).toThrow('--last-failed: run r-1 was started with its own cases')
  })
})
