import { expect, it } from 'vitest'
import { githubAnnotations } from '../../src/report/github-annotations.js'
import { caseRecord, detail, failingCase, run } from './fixtures.js'

it('marks the line of each case that is not green', () => {
  const lines = githubAnnotations(detail)
  expect(lines).toHaveLength(3)
  expect(lines[0]).toBe(
    "::error file=benchmarks/traffic.yaml,line=41,title=dau_id_monthly failed::failed: filter missing: tz_type = 'local'; 1 of 1 rows differ",
  )
})

it('warns where a repair waits', () => {
  const cases = [caseRecord('a', { outcome: 'pending' })]
  expect(githubAnnotations({ run, cases, attempts: [] })[0]).toMatch(/^::warning /)
})

it('lets no name or message begin a command of its own', () => {
  const record = {
    ...failingCase,
    caseId: 'a,line=1::b\n::set-output name=x::y',
    file: 'x,y:z%.yaml',
    cause: 'first\r\n::error::second 100%',
  }
  const [line] = githubAnnotations({ run, cases: [record], attempts: [] })
  expect(line).not.toMatch(/[\r\n](?!$)::set/)
  expect(line?.split('\n')).toHaveLength(1)
  expect(line).toContain('file=x%2Cy%3Az%25.yaml,line=41')
  expect(line).toContain('title=a%2Cline=1%3A%3Ab%0A%3A%3Aset-output')
  expect(line).toContain('100%25')
})
