import { expect, it } from 'vitest'
import type { CheckResult } from '../../../src/app/doctor/check.js'
import { checkCountLine, checkResultLines, checkResultsJson } from '../../../src/cli/doctor/render-results.js'

const rows: readonly CheckResult[] = [
  { name: 'git', status: 'ok', detail: '2.39.5' },
  { name: 'history', status: 'note', detail: 'a shallow clone of 1 commit', fix: 'git fetch --unshallow' },
  {
    name: 'benchmarks',
    status: 'problem',
    detail: 'benchmarks/a.yaml:1:1  file is empty\nbenchmarks/b.yaml:2:3  unknown key `id`',
    fix: 'Remove it.',
  },
]
const lines = (width: number, color = false): string =>
  rows.flatMap((row) => checkResultLines(row, { width, color })).join('\n')

it('a check is a line, with what mends it below', () => {
  expect(lines(80)).toBe(
    [
      'ok       git              2.39.5',
      'note     history          a shallow clone of 1 commit',
      '                          → git fetch --unshallow',
      'problem  benchmarks       benchmarks/a.yaml:1:1 file is empty',
      '                          benchmarks/b.yaml:2:3 unknown key `id`',
      '                          → Remove it.',
    ].join('\n'),
  )
})

it('at 40 columns what was found stands below the name', () => {
  expect(lines(40)).toBe(
    [
      'ok       git',
      '  2.39.5',
      'note     history',
      '  a shallow clone of 1 commit',
      '  → git fetch --unshallow',
      'problem  benchmarks',
      '  benchmarks/a.yaml:1:1 file is empty',
      '  benchmarks/b.yaml:2:3 unknown key `id`',
      '  → Remove it.',
    ].join('\n'),
  )
})

it('colour is for terminals that want it', () => {
  expect(lines(80, true)).toContain('\u001b[31mproblem')
  expect(lines(80)).not.toContain('\u001b')
})

it('the last line counts', () => {
  const screen = { width: 80, color: false }
  expect(checkCountLine(rows, screen)).toBe('1 problem   1 note   1 ok')
  expect(checkCountLine(rows.slice(0, 2), screen)).toBe('no problems   1 note   1 ok')
  expect(checkCountLine(rows.slice(0, 1), screen)).toBe('no problems   1 ok')
})

it('as JSON each check has name, status, detail and fix', () => {
  expect(JSON.parse(checkResultsJson(rows.slice(0, 2)))).toEqual([
    { name: 'git', status: 'ok', detail: '2.39.5', fix: null },
    { name: 'history', status: 'note', detail: 'a shallow clone of 1 commit', fix: 'git fetch --unshallow' },
  ])
})
