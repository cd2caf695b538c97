import { describe, expect, it } from 'vitest'
import { markdownReport } from '../../src/report/markdown.js'
import { attempt, caseRecord, detail, failingCase, hostileDetail, run } from './fixtures.js'

describe('markdown report', () => {
  it('begins with total, passed, repaired and failed, then what else there is', () => {
    const text = markdownReport(detail)
    expect(text).toContain('| Total | Passed | Repaired | Failed | Unproven | Errors |\n')
    expect(text).toContain('| 5 | 1 | 1 | 1 | 1 | 1 |')
  })

  it('shows each repair with reason, proof and diff', () => {
    const text = markdownReport(detail)
    expect(text).toContain('### orders\\_v1 was replaced by orders')
    expect(text).toContain('- why: every expected query of gmv reads commerce.orders')
    expect(text).toContain('-FROM commerce.orders_v1\n+FROM commerce.orders\n')
    expect(text).toContain('1 retry')
  })

  it('says of each case that needs a person what, where and how to ask it again', () => {
    const text = markdownReport({ ...detail, cases: [failingCase] })
    expect(text).toContain("- structure: filter missing: tz\\_type = 'local'")
    expect(text).toContain('- 2025-11   474.97\n+ 2025-11   949.93')
    expect(text).toContain('`benchmarks/traffic.yaml:41`')
    expect(text).toContain('`autotest --id dau_id_monthly --no-repair`')
  })

  it('names plans that were not accepted with their reason', () => {
    expect(markdownReport(detail)).toContain('- dau counts every zone: breaks dau\\_th\\_monthly')
  })

  it('lets no hostile text become markup, end a fence or notify anybody', () => {
    const text = markdownReport(hostileDetail)
    const fences = text.split('\n').filter((line) => /^`{3,}(diff)?$/.test(line))
    const prose = text
      .replaceAll(/^(`{3,})diff\n[\s\S]*?\n\1$/gm, '')
      .replaceAll(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
    expect(fences.length).toBeGreaterThan(0)
    expect(prose).not.toContain('<script>')
    expect(prose).not.toContain('@team')
    expect(prose).not.toContain('```')
    expect(text).not.toContain('\u001b')
  })

  it('stays within what a pull request comment holds when a thousand cases fail', () => {
    const cases = Array.from({ length: 1000 }, (_, at) => ({ ...failingCase, caseId: `case_${at}` }))
    const text = markdownReport({ run: { ...run, total: 1000 }, cases, attempts: [] })
    expect(text.length).toBeLessThan(65_536)
    expect(text).toContain('… and 950 more')
  })

  it('has no section for what there is none of', () => {
    const text = markdownReport({ run: { ...run, total: 1 }, cases: [caseRecord('a')], attempts: [] })
    expect(text).not.toContain('##')
  })

  it('calls the repairs of a dry run planned', () => {
    const text = markdownReport({
      run: { ...run, mode: 'dry_run', decision: 'pending' },
      cases: [],
      attempts: [attempt],
    })
    expect(text).toContain('## Planned repairs (1)')
    const applied = markdownReport({
      run: { ...run, mode: 'dry_run', decision: 'kept' },
      cases: [],
      attempts: [attempt],
    })
    expect(applied).toContain('## Repaired (1)')
  })
})
