import { expect, it } from 'vitest'
import { runRequestFrom } from '../../src/cli/request-from-flags.js'

const requestFrom = (flags: Parameters<typeof runRequestFrom>[0]) => runRequestFrom(flags, '/project')

it('asks for repairs, and for a decision, where no flag says otherwise', () => {
  expect(requestFrom({})).toMatchObject({
    cwd: '/project',
    mode: undefined,
    commit: 'ask',
    resume: undefined,
  })
})

it.each([
  [{ yes: true }, { commit: 'always' }],
  [{ 'no-commit': true }, { commit: 'never' }],
  [{ 'no-repair': true }, { mode: 'evaluate' }],
  [{ 'dry-run': true }, { mode: 'dry_run' }],
  [{ resume: '' }, { resume: { run: undefined } }],
  [{ resume: 'r-1' }, { resume: { run: 'r-1' } }],
  [{ id: ['a,b', ' c '] }, { ids: ['a', 'b', 'c'] }],
  [{ output: ['a.json,b.xml'] }, { reports: ['a.json', 'b.xml'] }],
  [{ 'max-time': '10m' }, { maxTimeMs: 600_000 }],
  [{ repairer: ['rules,llm'] }, { repairers: ['rules', 'llm'] }],
] as const)('reads %j', (flags, request) => {
  expect(requestFrom(flags)).toMatchObject(request)
})

it.each([
  [{ yes: true, 'no-commit': true }, '--yes and --no-commit cannot be combined'],
  [{ 'dry-run': true, 'no-repair': true }, '--dry-run and --no-repair cannot be combined'],
  [{ 'dry-run': true, yes: true }, '--dry-run and --yes cannot be combined'],
  [{ yes: true, 'no-repair': true }, '--yes and --no-repair cannot be combined'],
  [{ list: true, output: ['a.json'] }, '--list and --output cannot be combined'],
  [{ 'max-time': 'soon' }, '--max-time soon: must be a duration'],
  [{ repairer: ['magic'] }, '--repairer magic: must be one of rules, llm'],
])('refuses %j', (flags, message) => {
  expect(() => requestFrom(flags)).toThrow(message)
})
