import { describe, expect, it } from 'vitest'
import {
  describeAttempt,
  describeCause,
  describeDifferences,
  describeEntriesRead,
  describeEvidence,
  evidenceRatios,
  formatDuration,
  oneLine,
  replayCommand,
  sanitizeLine,
} from '../../src/report/format-text.js'
import { attempt, caseRecord, erroredCase, failingCase, failingSample, hostileText } from './fixtures.js'

describe('words', () => {
  it('puts hostile text on one line without escapes, controls or direction marks', () => {
    const text = oneLine(hostileText)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
    expect(text).toContain('red')
    expect(text).not.toContain('[31m')
    expect(text).toContain('日本語')
  })

  it('keeps the indentation of a line of a file', () => {
    expect(sanitizeLine('\tAND a = 1\u001b[2J  ')).toBe('  AND a = 1')
  })

  it('says hours of work in minutes and short work in tenths of seconds', () => {
    expect([
      formatDuration(420),
      formatDuration(2800),
      formatDuration(59_999),
      formatDuration(125_000),
    ]).toEqual(['0.4 s', '2.8 s', '1 min 0 s', '2 min 5 s'])
  })

  it('quotes an id so that a shell reads it back, also one that looks like a flag', () => {
    expect(replayCommand('dau_id')).toBe('autotest --id dau_id --no-repair')
    expect(replayCommand("it's $(x)")).toBe(`autotest --id 'it'\\''s $(x)' --no-repair`)
    expect(replayCommand('--yes')).toBe('autotest --id=--yes --no-repair')
  })

  it('repeats the options of the run that decide what is asked and how it is scored', () => {
    const options = {
      config: 'b c.yaml',
      benchmark: ['x.yaml', 'y.yaml'],
      tags: ['z'],
      seed: 0,
      'max-tokens': 5,
    }
    expect(replayCommand('a', options)).toBe(
      "autotest --id a --config 'b c.yaml' --benchmark x.yaml --benchmark y.yaml --seed 0 --no-repair",
    )
  })

  it('lists structure first and results after it', () => {
    expect(describeDifferences(failingSample)).toEqual([
      "filter missing: tz_type = 'local'",
      '1 of 1 rows differ',
    ])
  })

  it('leads the cause with what triage found, and does not say it twice', () => {
    expect(describeCause(erroredCase)).toBe('suspect oracle: expected_sql fails: no column "refundd"')
    expect(describeCause({ ...erroredCase, cause: 'Suspect oracle: no such column' })).toBe(
      'Suspect oracle: no such column',
    )
    expect(describeCause(failingCase)).toBe(`failed: ${failingSample.reason}`)
  })

  it('gives the message of an agent that broke where there is no other reason', () => {
    const sample = { ...failingSample, kind: 'error', reason: '', message: 'spawn ENOENT' } as const
    expect(describeCause(caseRecord('a', { outcome: 'errored', sample }))).toBe('error: spawn ENOENT')
  })

  it('says that an agent which does not tell has read everything', () => {
    expect(describeEntriesRead('all')).toContain('not reported')
    expect(describeEntriesRead(['metric:dau', 'snippet:dau.sql'])).toBe('metric dau, snippet dau.sql')
  })

  it('tells a proof as checks made, and leaves out those that were not', () => {
    const evidence = attempt.evidence
    if (evidence === undefined) throw new Error('the fixture has evidence')
    expect(describeEvidence(evidence, 'E2')).toBe(
      'proved by 3 cases, 6 twins, 2 held out, 21 cases using it; nothing else changed',
    )
    expect(evidenceRatios({ ...evidence, twins: { passed: 0, of: 0 }, broken: ['x'] }, 'E2')).toEqual([
      'target 3/3',
      'held-out 2/2',
      '21 cases using it unchanged',
      'whole benchmark 44/48 → 47/48',
      'breaks x',
    ])
  })

  it('says of held-out cases that a lower grade does not rest on them', () => {
    const evidence = attempt.evidence
    if (evidence === undefined) throw new Error('the fixture has evidence')
    const some = { ...evidence, heldOut: { passed: 1, of: 3 } }
    expect(describeEvidence(some, 'E1')).toContain('1 of 3 held out (not E2)')
    expect(evidenceRatios(some, 'E1')).toContain('held-out 1/3 (not E2)')
    expect(describeEvidence(evidence, 'E1')).toContain('2 of 2 held out (not E2)')
  })

  it('calls the first plan that succeeds no retry', () => {
    expect(describeAttempt({ ...attempt, retries: 1 })).not.toContain('retr')
    expect(describeAttempt({ ...attempt, retries: 2 })).toContain(' · 1 retry · ')
  })
})
