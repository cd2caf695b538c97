import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { autotest, type Ended, removeFolders } from './sample.js'
import { benchmarkPath, benchmarkText, drifted, read, smallProject } from './small-project.js'

/** A repair, a suspect oracle and a pass in one run. */
const mixed = {
  ...drifted,
  [benchmarkPath]: benchmarkText.replace('FROM orders WHERE market', 'FROM ordrs WHERE market'),
}

let dir = ''
let run: Ended
beforeAll(async () => {
  dir = smallProject(mixed)
  run = await autotest(dir, [
    '--no-commit',
    '--output',
    'out.json',
    'out/out.xml',
    'out.md',
    '-o',
    'b.json',
    '-o',
    'c.md',
  ])
})
afterAll(removeFolders)

const reportSchema = z.object({
  run: z.object({ id: z.string(), mode: z.string(), decision: z.string(), exitCode: z.number() }),
  summary: z.object({
    total: z.number(),
    passed: z.number(),
    repaired: z.number(),
    failed: z.number(),
    unproven: z.number(),
    errored: z.number(),
    skipped: z.number(),
    pending: z.number(),
    llmCalls: z.number(),
  }),
  cases: z.array(
    z.object({
      id: z.string(),
      verdict: z.string(),
      repaired: z.boolean(),
      retries: z.number(),
      cause: z.string().optional(),
      differences: z.array(z.string()),
    }),
  ),
  repairs: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      grade: z.string(),
      goldExposed: z.boolean(),
      reasoning: z.string(),
      cases: z.array(z.string()),
      edits: z.array(z.object({ kind: z.string(), file: z.string(), diff: z.string() })),
      evidence: z.object({}),
      cost: z.object({ llmCalls: z.number() }),
    }),
  ),
})

const report = (text: string) => reportSchema.parse(JSON.parse(text))

describe('--output', () => {
  it('takes several files after one flag and the flag several times, by extension', () => {
    expect(run.code).toBe(1)
    for (const file of ['out.json', 'out/out.xml', 'out.md', 'b.json', 'c.md'])
      expect(existsSync(join(dir, file))).toBe(true)
    expect(read(dir, 'out/out.xml')).toContain('<testsuites')
    expect(read(dir, 'out.md')).toContain('| Total | Passed | Repaired | Failed |')
    expect(read(dir, 'b.json')).toBe(read(dir, 'out.json'))
  })

  it('is not needed: each run leaves its report in a folder of its own', () => {
    const { run: stored } = report(read(dir, 'out.json'))
    expect(read(dir, `reports/${stored.id}/report.json`)).toBe(read(dir, 'out.json'))
    expect(existsSync(join(dir, `reports/${stored.id}/report.md`))).toBe(true)
  })
})

describe('the JSON report', () => {
  it('has counts that sum to the total, final verdicts, and repairs with their evidence', () => {
    const { summary, cases, repairs, run: stored } = report(read(dir, 'out.json'))
    const { total, llmCalls, ...counts } = summary
    expect(counts).toEqual({
      passed: 0,
      repaired: 2,
      failed: 0,
      unproven: 0,
      errored: 1,
      skipped: 0,
      pending: 0,
    })
    expect([total, llmCalls]).toEqual([3, 0])
    expect(cases.map(({ id, verdict, repaired, retries }) => ({ id, verdict, repaired, retries }))).toEqual([
      { id: 'gmv_id', verdict: 'pass', repaired: true, retries: 0 },
      { id: 'gmv_th', verdict: 'pass', repaired: true, retries: 0 },
      { id: 'orders_id', verdict: 'error', repaired: false, retries: 0 },
    ])
    expect(repairs).toMatchObject([
      {
        label: 'wrong_definition',
        grade: 'E2',
        goldExposed: true,
        cases: ['gmv_id', 'gmv_th'],
        edits: [
          {
            kind: 'edit_snippet',
            file: 'kb/snippets/gmv.sql',
            diff: expect.stringContaining("+  AND status = 'paid'"),
          },
        ],
      },
    ])
    expect(stored).toMatchObject({ mode: 'repair', decision: 'kept', exitCode: 1 })
  })

  it('of a dry run counts nothing as repaired, but as pending', async () => {
    const project = smallProject(drifted)
    const { out, code } = await autotest(project, ['--dry-run', '--reporter', 'json'])
    const { summary, cases } = report(out)
    expect(summary).toMatchObject({ total: 3, passed: 1, repaired: 0, failed: 0, pending: 2 })
    expect(cases[0]).toMatchObject({ verdict: 'fail', repaired: false })
    expect(code).toBe(1)
  })
})

it('GitHub sees an annotation on the line of each case that is not green', async () => {
  const { out } = await autotest(smallProject(mixed), ['--no-repair'], { GITHUB_ACTIONS: 'true' })
  expect(out).toMatch(/^::error file=benchmarks\/gmv\.yaml,line=2,title=gmv_id failed::.*filter missing/m)
  expect(out).toMatch(/^::error file=benchmarks\/gmv\.yaml,line=10,title=orders_id errored::suspect oracle/m)
  expect(out.match(/^::/gm)).toHaveLength(3)
  expect(run.out).not.toContain('::error')
})

it('a secret of the environment is in no report and not in the run database', async () => {
  const secret = 'sk-verysecret-0123456789'
  const project = smallProject({
    'autotest.config.yaml': 'engine: sqlite:shop.sqlite\nagent: { kind: module, path: agents/leaks.mjs }\n',
    'agents/leaks.mjs': `export default () => { throw new Error('401 for ${secret}') }\n`,
  })
  const { out } = await autotest(project, ['--no-repair', '-o', 'out.json', 'out.md', 'out.xml'], {
    MODEL_API_KEY: secret,
  })
  expect(out).toContain('401 for')
  for (const text of [
    out,
    ...['out.json', 'out.md', 'out.xml', 'reports/autotest.db'].map((file) => read(project, file)),
  ])
    expect(text).not.toContain(secret)
})
