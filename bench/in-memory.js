// The loop on the sample's knowledge base, or a faulty one in its place, in memory: nothing is written.
import { fileURLToPath } from 'node:url'
import { composeComponents } from '../build/modules/app/compose.js'
import { loadProject } from '../build/modules/app/project/project.js'
import { caseSchemas } from '../build/modules/app/run/sql/case-schemas.js'
import { repairSqlFailures } from '../build/modules/domains/sql/repair/repair-sql.js'
import { createDistinguisher } from '../build/modules/domains/sql/repair/verify/twins/twin-distinguisher.js'
import { runBaseline } from '../build/modules/run/baseline.js'
import { loadSnapshot } from '../build/modules/snapshot/load.js'
import { readText, withFiles } from '../build/modules/snapshot/snapshot.js'
import { loadSqlParser } from '../build/modules/sql/index.js'

const ignore = () => undefined
const sampleRoot = fileURLToPath(new URL('..', import.meta.url))

/** A project with its engine and agent opened; `clean` is its knowledge as it stands. */
export async function openProject(root = sampleRoot) {
  const project = await loadProject({ cwd: root })
  const parts = await composeComponents({ config: project.config, today: '2025-12-31', onProgress: ignore })
  const { snapshot: clean } = await loadSnapshot(root, [project.config.kb, project.config.agents])
  return { project, parts, clean, parser: await loadSqlParser() }
}

/** The snapshot with some files changed: path → text. */
export function changed(snapshot, files) {
  const bytes = Object.entries(files).map(([path, text]) => [
    path,
    text === null ? null : new TextEncoder().encode(text),
  ])
  return withFiles(snapshot, new Map(bytes))
}

/** What git would tell where an uncommitted change made these files of the snapshot: path → text, null for none. */
export function historyOf(snapshot, files) {
  const by = 'an uncommitted change'
  const removedLines = Object.entries(files).flatMap(([path, text]) => {
    const kept = new Set(text?.split('\n'))
    const lines = readText(snapshot, path)?.split('\n') ?? []
    return lines.filter((line) => !kept.has(line)).map((line) => ({ path, text: line, by }))
  })
  const versionsOf = async (path) => {
    const before = path in files ? readText(snapshot, path) : undefined
    return before === undefined ? [] : [{ text: before, by }]
  }
  const nothing = async () => []
  const history = { versionsOf, queriesOf: nothing, casesChangedBy: nothing, knowledgeChangedBy: nothing }
  return { removedLines, history }
}

/**
 * Asks every case, failures `repeats` times again, and repairs what fails; `cases` stands in for the benchmark where given,
 * `history` for what git tells: `{removedLines, history}`.
 */
export async function repairInMemory(
  { project, parts, parser },
  broken,
  cases = project.benchmark,
  repeats = 0,
  history = {},
) {
  const signal = new AbortController().signal
  const shared = { evaluator: parts.evaluator, concurrency: 4, signal }
  const baseline = await runBaseline({
    ...shared,
    cases,
    snapshot: broken,
    keepPassing: true,
    times: 1,
    repeats,
    known: new Map(),
    onCase: ignore,
  })
  const evaluations = [...baseline.values()].map((one) => one.evaluation)
  const bad = evaluations.filter((one) => one.score.verdict !== 'pass')
  const attempts = []
  const started = performance.now()
  const result = await repairSqlFailures({
    ...shared,
    parser,
    dialect: parts.evaluator.agentDialect,
    expectedDialect: parts.dialectOf,
    kbFolder: project.config.kb,
    ...history,
    asOf: parts.evaluator.asOf,
    schemaOf: await caseSchemas(cases, parts.engineOf),
    benchmark: cases,
    baseline: new Map(evaluations.map((one) => [one.testCase.id, one])),
    named: new Set(),
    writeObstacle: async () => undefined,
    distinguishes: createDistinguisher({
      engineOf: parts.engineOf,
      dialectOf: parts.dialectOf,
      limits: parts.limits,
    }),
    snapshot: broken,
    failing: bad.filter((one) => one.score.verdict === 'fail' && !baseline.get(one.testCase.id).flaky),
    maxRetries: 3,
    minGrade: 'E1',
    rules: true,
    llmCalls: () => 0,
    clock: () => performance.now(),
    onProgress: ignore,
    onStart: ignore,
    onAttempt: (attempt) => attempts.push(attempt),
  })
  const open = [...result.findings].filter(([, finding]) => finding.repairId === undefined)
  return { evaluations, bad, attempts, result, open, ms: performance.now() - started }
}
