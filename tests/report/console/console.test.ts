import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { failingCaseLines, needsPersonLines } from '../../../src/report/console/failing-cases.js'
import { plainCaseLine, plainReport } from '../../../src/report/console/plain-log.js'
import { caseMark, headerLines, tagLayout, tagLine, tagLines } from '../../../src/report/console/progress.js'
import { planLines, repairLines } from '../../../src/report/console/repairs.js'
import { consoleReport, outcomeLines, summaryLines } from '../../../src/report/console/run-outcome.js'
import { runsDiffLines, runsListLines } from '../../../src/report/console/runs.js'
import type { CaseOutcome } from '../../../src/store/record-types.js'
import {
  attempt,
  caseRecord,
  detail,
  failingCase,
  failingSample,
  hostileDetail,
  run,
  unprovenCase,
} from '../fixtures.js'

const wide = { width: 100, color: false }
const narrow = { width: 40, color: false }

describe('terminal screens', () => {
  it('heads a run with cases, engine, agent and knowledge', () => {
    expect(headerLines(run, wide)).toEqual([
      'autotest  5 cases · duckdb:data/shop.duckdb · agent template · knowledge 61b2f0a',
    ])
  })

  it('shows a mark for each case under its first tag', () => {
    expect(tagLines(detail.cases, wide)).toEqual([
      ' orders    ✓✗!  1/3',
      ' traffic   ✗    0/1',
      ' ads       ?    0/1',
    ])
  })

  it('keeps a log line short enough to read, and whole where that is asked for', () => {
    const reason = `filter missing: ${"status = 'paid' AND ".repeat(50)}end`
    const long = { ...failingCase, label: undefined, cause: reason }
    expect(plainCaseLine(long)).toHaveLength(400)
    expect(plainCaseLine(long, Number.POSITIVE_INFINITY)).toBe(`FAIL ${failingCase.caseId}: ${reason}`)
  })

  it('gives each outcome a mark of its own, so that nothing depends on colour', () => {
    const outcomes: CaseOutcome[] = [
      'passed',
      'repaired',
      'failed',
      'unproven',
      'errored',
      'skipped',
      'pending',
    ]
    expect(new Set(outcomes.map(caseMark)).size).toBe(outcomes.length)
  })

  it('shows counts where marks do not fit or a run is large', () => {
    const layout = tagLayout(new Map([['orders', 60]]), wide)
    const outcomes = Array.from({ length: 60 }, (_, at): CaseOutcome => (at < 3 ? 'failed' : 'passed'))
    expect(tagLine('orders', outcomes, layout, wide)).toBe(' orders   57/60   3 failed')
    const many = new Map(Array.from({ length: 30 }, (_, at) => [`tag${at}`, 7] as const))
    expect(tagLayout(many, wide).marks).toBe(0)
    expect(tagLayout(new Map([['orders', 40]]), narrow).marks).toBe(0)
  })

  it('shows of a failing case what differs, what was read and how to ask it again', () => {
    expect(failingCaseLines(failingCase, { width: 72, color: false })).toEqual([
      '✗ dau_id_monthly   ID market DAU in November 2025           traffic, dau',
      "  structure       filter missing: tz_type = 'local'",
      '  results         1 of 1 rows differ (- expected, + answer)',
      '                    period    dau',
      '                  - 2025-11   474.97',
      '                  + 2025-11   949.93',
      '  knowledge used  metric dau, snippet dau.sql',
      '  rerun           autotest --id dau_id_monthly --no-repair',
    ])
  })

  it('shows why an agent gave no answer', () => {
    const sample = {
      ...failingSample,
      kind: 'no_answer',
      message: 'no metric is called "dau"',
      structure: undefined,
      results: undefined,
    } as const
    expect(failingCaseLines({ ...failingCase, sample }, wide)).toContain(
      '  answer          no answer: no metric is called "dau"',
    )
  })

  it('never prints a long query whole', () => {
    const message = `syntax error near SELECT ${'a, '.repeat(5000)}`
    const sample = {
      ...failingSample,
      structure: undefined,
      results: { kind: 'generated_failed', how: 'failed', message },
    } as const
    const lines = failingCaseLines({ ...failingCase, sample }, wide)
    expect(lines.join('').length).toBeLessThan(800)
    expect(lines.join('')).toContain('…')
  })

  it('shows a repair as the line that became another, with its proof', () => {
    const lines = repairLines(attempt, wide)
    expect(lines[0]).toMatch(/^ ✓ orders_v1 was replaced by orders {2,}1 case · E2 · 1 retry · 0\.4 s$/)
    expect(lines.slice(1)).toEqual([
      '   kb/snippets/gmv.sql',
      '     FROM commerce.orders_v1   →   FROM commerce.orders',
      '   why: every expected query of gmv reads commerce.orders',
      '   proved by 3 cases, 6 twins, 2 held out, 21 cases using it; nothing else changed',
    ])
  })

  it('shows both lines where one row is too narrow for them', () => {
    const lines = repairLines(attempt, narrow)
    expect(lines).toContain('   - FROM commerce.orders_v1')
    expect(lines).toContain('   + FROM commerce.orders')
  })

  it('names the benchmark line of a suspect oracle, and the policy that accepts an unproven case', () => {
    const text = needsPersonLines(detail, { width: 160, color: false }).join('\n')
    expect(text).toMatch(/! refund_rate_sg {3}suspect oracle: .*\(benchmarks\/orders\.yaml:88\)/)
    expect(text).toMatch(/\? ads_roas_q3 .*autotest compare ads_roas_q3, or accept with --policy results/)
  })

  it('counts the failing cases it does not show', () => {
    const cases = Array.from({ length: 200 }, (_, at) => ({ ...failingCase, caseId: `case_${at}` }))
    const lines = needsPersonLines({ run, cases, attempts: [] }, wide)
    expect(lines.length).toBeLessThan(250)
    expect(lines.at(-1)).toBe(' … 150 more: autotest runs show r-7f3a')
  })

  it('ends with total, passed, repaired and failed, then what else there is', () => {
    expect(summaryLines(detail, wide, 'reports/r-7f3a/report.md')).toEqual([
      '5 cases   1 passed   1 repaired   1 failed   1 unproven   1 error   2.8 s',
      '3 LLM calls (3 repairer) · 1234 tokens · cost 0.0021 · report reports/r-7f3a/report.md · run r-7f3a',
    ])
  })

  it('shows each plan of a dry run with edits, reason, proof and cost', () => {
    const lines = planLines({ ...detail, run: { ...run, mode: 'dry_run' } }, { width: 120, color: false })
    expect(lines).toEqual([
      'Plan 1 of 1   p1 · wrong definition · metric gmv · fixes 1 case · grade E2',
      '  kb/snippets/gmv.sql',
      '  @@ 3 @@',
      '  - FROM commerce.orders_v1',
      '  + FROM commerce.orders',
      '  why             every expected query of gmv reads commerce.orders',
      '  proof           target 3/3 · twins 6/6 · held-out 2/2 · 21 cases using it unchanged · whole benchmark 44/48 → 47/48',
      '  cost            0 LLM calls · 1 retry',
      '',
      'Nothing was written. Apply with: autotest apply r-7f3a',
    ])
  })

  it('is quiet when all is well', () => {
    const quiet = { run: { ...run, total: 1 }, cases: [caseRecord('a')], attempts: [] }
    expect(outcomeLines(quiet, wide)).toEqual([
      '1 case   1 passed   0 repaired   0 failed   2.8 s',
      '0 LLM calls · run r-7f3a',
    ])
  })

  it('says the same with and without colour', () => {
    const colored = consoleReport(detail, { width: 80, color: true })
    expect(colored.join('')).toContain('\u001b[')
    expect(colored.map(stripVTControlCharacters)).toEqual(consoleReport(detail, { width: 80, color: false }))
  })

  it.each([40, 80, 120])(
    'only paths and commands are wider than %i columns, whatever names and values are',
    (width) => {
      const dryRun = { ...hostileDetail, run: { ...hostileDetail.run, mode: 'dry_run' } } as const
      for (const shown of [detail, hostileDetail, dryRun]) {
        for (const line of consoleReport(shown, { width, color: false })) {
          // What can be copied is whole, on a line of its own; so is a word.
          if (!/^ *(?:[a-z]+ +)?(?:\S*\/\S*|\S{1,36}|→?.{0,3}autotest .*)$/.test(line))
            expect(stringWidth(line), line).toBeLessThanOrEqual(width)
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
        }
      }
    },
  )
})

describe('plain lines for logs', () => {
  it('says one thing a line and ends with the counts and the exit code', () => {
    expect(plainReport(detail)).toEqual([
      'autotest r-7f3a: 5 cases, duckdb:data/shop.duckdb, template, knowledge 61b2f0a',
      "FAIL dau_id_monthly: filter missing: tz_type = 'local'; 1 of 1 rows differ",
      'ERROR refund_rate_sg: suspect oracle: expected_sql fails: no column "refundd"',
      'UNPROVEN ads_roas_q3: structure differs, results match on one database',
      'REPAIRED metric gmv (1 case, E2): kb/snippets/gmv.sql -1 +1',
      'total=5 passed=1 repaired=1 failed=1 unproven=1 errored=1 llm_calls=3 llm_tokens=1234 llm_cost=0.0021 exit=1',
    ])
  })

  it('keeps hostile names on their line', () => {
    for (const line of plainReport(hostileDetail))
      expect(stripVTControlCharacters(line).split(/\r|\n/)).toEqual([line])
  })
})

describe('recorded runs', () => {
  const counts = { passed: 40, repaired: 1, failed: 1, unproven: 0, errored: 0, skipped: 0, pending: 0 }

  it('lists a run a line with what was green and what was not', () => {
    const [header, line] = runsListLines([{ ...run, total: 42, counts }], wide)
    expect(header).toMatch(/^run {6}started \(UTC\) {6}passed {3}repaired/)
    expect(line).toMatch(
      /^r-7f3a {3}2026-11-20 10:11 {3}40\/42 {4}1 uncommitted {3}1 failed {3}repair {3}duckdb:/,
    )
    for (const each of runsListLines([{ ...run, counts }], narrow))
      expect(stringWidth(each)).toBeLessThanOrEqual(40)
  })

  it('compares two runs by what was fixed, broken and is unresolved', () => {
    const later = {
      ...detail,
      run: { ...run, id: 'r-8000', knowledgeAfter: 'ab12cd38888888' },
      cases: [
        caseRecord('gmv_id_q3', { outcome: 'failed' }),
        { ...failingCase, outcome: 'passed' },
        unprovenCase,
      ],
    } as const
    expect(runsDiffLines(detail, later, wide)).toEqual([
      ' fixed      dau_id_monthly',
      ' broken     gmv_id_q3 (failed)',
      ' unresolved ads_roas_q3 (unproven)',
      ' not run    gmv_th_monthly, refund_rate_sg',
      ' changed    knowledge 0c9d11e → ab12cd3   2.8 s → 2.8 s   3 → 3 LLM calls',
    ])
  })
})

it('shows where long lines differ, however long they are alike', () => {
  const values = Array.from({ length: 30 }, (_, at) => `M${at}: [Market ${at}]`).join(', ')
  const diff = `--- a/kb/m.yaml\n+++ b/kb/m.yaml\n@@ -1,1 +1,1 @@\n-  market: { ${values} }\n+  market: { ${values}, ID: [Indonesia] }\n`
  const lines = repairLines(
    { ...attempt, edits: [{ kind: 'edit_metric', file: 'kb/m.yaml', diff, added: 1, removed: 1 }] },
    wide,
  )
  expect(lines.join('\n')).toContain('ID: [Indonesia] }')
})
