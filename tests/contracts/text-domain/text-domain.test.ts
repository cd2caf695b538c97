import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadCases } from '../../../src/benchmark/load.js'
import { openJournal, restoreFiles } from '../../../src/edit/journal.js'
import { repairFailures } from '../../../src/repair/loop.js'
import { consoleReport } from '../../../src/report/console/run-outcome.js'
import { jsonReport } from '../../../src/report/json.js'
import { runBaseline } from '../../../src/run/baseline.js'
import { baselineRecord, evaluationOf } from '../../../src/run/case-records.js'
import { createEvaluator } from '../../../src/run/evaluate-case.js'
import { loadSnapshot } from '../../../src/snapshot/load.js'
import { openStore, type RunStore } from '../../../src/store/store.js'
import { type TextTypes, textCaseKind, textRecorder, textRepair, textRunner } from './text-domain.js'

const welcome = '\ufeffWelcom, {{ name }}!\r\n'
const under = {
  engine: 'none',
  dialect: 'none',
  asOf: '2025-12-31',
  policy: 'equal',
  tolerance: 0,
  fuzz: 0,
  seed: 1,
  agent: 'templates',
}
const now = () => new Date('2026-11-20T10:11:12Z')
const { signal } = new AbortController()

let root = ''
let store: RunStore
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'autotest-text-domain-'))
  mkdirSync(join(root, 'texts'))
  mkdirSync(join(root, 'benchmarks'))
  writeFileSync(join(root, 'texts/welcome.md'), welcome)
  writeFileSync(join(root, 'texts/part.md'), 'Bye, {{ name }}.\n')
  store = await openStore(join(root, 'autotest.db'), { now, env: {} })
})
afterEach(() => {
  store.close()
  rmSync(root, { recursive: true, force: true })
})

/** Loads, measures, repairs, records, and writes what was accepted, as a run does. */
async function run(cases: string) {
  writeFileSync(join(root, 'benchmarks/texts.yaml'), cases)
  const benchmark = await loadCases({ paths: ['benchmarks'], cwd: root }, [textCaseKind])
  const { snapshot } = await loadSnapshot(root, ['texts'])
  const evaluator = createEvaluator<TextTypes>(textRunner, () => performance.now())
  const id = store.createRun({
    root,
    startedAt: now().toISOString(),
    mode: 'repair',
    engine: under.engine,
    agent: under.agent,
    dialect: under.dialect,
    knowledge: snapshot.hash,
    total: benchmark.cases.length,
    options: {},
  })
  const baseline = await runBaseline<TextTypes>({
    ...{ cases: benchmark.cases, snapshot, evaluator, signal },
    ...{ concurrency: 1, keepPassing: true, times: 1, repeats: 1, known: new Map() },
    onCase: ({ evaluation, position }) =>
      store.recordCases(id, [baselineRecord(evaluation, position, under, textRecorder)]),
  })
  const evaluations = new Map([...baseline].map(([caseId, { evaluation }]) => [caseId, evaluation]))
  const result = await repairFailures<TextTypes>({
    ...{ domain: textRepair, evaluator, snapshot, signal, benchmark: benchmark.cases, baseline: evaluations },
    ...{ concurrency: 1, named: new Set<string>(), maxRetries: 3, minGrade: 'E1', rules: true },
    failing: [...evaluations.values()].filter(({ score }) => score.verdict === 'fail'),
    writeObstacle: async () => undefined,
    clock: () => performance.now(),
    llmCalls: () => 0,
    onStart: () => undefined,
    onProgress: () => undefined,
    onAttempt: (attempt, changes) => store.recordAttempt(id, attempt, changes),
  })
  const journal = await openJournal({ root, allowedRoots: ['texts'], now, pid: process.pid })
  for (const { attempt, changes } of result.accepted) await journal.write(id, attempt.id, changes)
  store.flush()
  for (const record of store.runDetail(id)?.cases ?? []) {
    const finding = result.findings.get(record.caseId)
    if (finding === undefined) continue
    const isRepaired = finding.repairId !== undefined
    store.recordCases(id, [
      { ...record, ...finding, ...(isRepaired ? { outcome: 'repaired', verdict: 'pass' } : {}) },
    ])
  }
  store.finishRun(id, {
    status: 'finished',
    finishedAt: now().toISOString(),
    knowledgeAfter: result.snapshot.hash,
    failure: undefined,
    decision: 'kept',
    exitCode: 0,
  })
  const detail = store.runDetail(id)
  if (detail === undefined) throw new Error('the run was recorded')
  return { id, detail, result, cases: benchmark.cases, journal }
}

const twoCases = `cases:
  - { kind: text, id: ann, question: welcome Ann, expected_text: "Welcome, Ann!", tags: [texts] }
  - { kind: text, id: part, question: part Bob, expected_text: "Bye, Bob." }
`

it('goes through a run: loaded, failed, repaired, proved by a twin, recorded, reported, and taken back byte for byte', async () => {
  const { id, detail, result, cases } = await run(twoCases)
  expect(cases[0]).toMatchObject({ kind: 'text', location: { file: 'benchmarks/texts.yaml', line: 2 } })
  expect(result.accepted.map(({ attempt }) => attempt)).toMatchObject([
    { title: 'texts/welcome.md: another text', grade: 'E1', evidence: { twins: { passed: 1, of: 1 } } },
  ])
  expect(readFileSync(join(root, 'texts/welcome.md'), 'utf8')).toBe('\ufeffWelcome, {{ name }}!\r\n')

  expect(detail.cases).toMatchObject([
    { kind: 'text', caseId: 'ann', outcome: 'repaired', baseline: 'fail' },
    { kind: 'text', caseId: 'part', outcome: 'passed' },
  ])
  const [ann] = detail.cases
  const [annCase] = cases
  if (ann === undefined || annCase === undefined) throw new Error('there are two cases')
  expect(ann.sample.differences).toEqual(['expected "Welcome, Ann!", got "Welcom, Ann!"'])
  expect(evaluationOf<TextTypes>(ann, annCase, textRecorder).score.reason).toBe('the texts differ')

  const report = JSON.parse([...jsonReport(detail)].join(''))
  expect(report.summary).toMatchObject({ total: 2, passed: 1, repaired: 1 })
  expect(report.cases[0]).toMatchObject({ kind: 'text', id: 'ann', expectedSql: 'Welcome, Ann!' })
  expect(report.repairs[0].edits[0].diff).toContain('+\ufeffWelcome, {{ name }}!')
  expect(consoleReport(detail, { width: 100, color: false }).join('\n')).toContain(
    'texts/welcome.md: another text',
  )

  await restoreFiles(root, store.editsOf(id))
  expect(readFileSync(join(root, 'texts/welcome.md'), 'utf8')).toBe(welcome)
})

it('rejects a repair that breaks a passing case, writes nothing, and records why', async () => {
  const { detail, result } = await run(
    `${twoCases}  - { kind: text, id: ben, question: welcome Ben, expected_text: "Welcom, Ben!" }\n`,
  )
  expect(result.accepted).toEqual([])
  expect(detail.attempts).toMatchObject([
    { outcome: 'rejected', reason: expect.stringContaining('breaks 1 passing case') },
  ])
  expect(readFileSync(join(root, 'texts/welcome.md'), 'utf8')).toBe(welcome)
})

it('names file, line and fix of a row that is wrong', async () => {
  await expect(
    run('cases:\n  - { kind: text, id: ann, question: welcome Ann, expectd_text: x }\n'),
  ).rejects.toThrow(/benchmarks\/texts\.yaml:2:\d+ .*expectd_text/u)
})
