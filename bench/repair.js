// Injects faults into clean knowledge bases, lets the loop repair them in memory and judges what it accepted on questions
// and bindings that took no part, on fuzzed data. docs/benchmarks-repair.md keeps the figures.
// node bench/repair.js [--suite sample|derived|pairs|scale|must-not] [--class 4] [--only TEXT] [--most N] [--verbose]
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createExpectedResultsCache } from '../build/modules/compare/outcomes/expected-results-cache.js'
import { createSqlEvaluator } from '../build/modules/domains/sql/evaluator.js'
import { parseKnowledgeBase } from '../build/modules/kb/parse.js'
import { canonicalForm, loadSqlParser } from '../build/modules/sql/index.js'
import { openProject } from './in-memory.js'
import { tryCheats } from './repair/cheats.js'
import { derivedProjects } from './repair/derive.js'
import { classes, faultsIn, pairOf, weights } from './repair/faults.js'
import { createJudge } from './repair/judge.js'
import { mustNotRepair } from './repair/must-not.js'
import { otherBindings, qualified } from './repair/probes.js'
import { scaled } from './repair/scale.js'
import { spread } from './repair/spread.js'
import { Table } from './repair/table.js'
import { tryFault } from './repair/trial.js'

const { values: flags } = parseArgs({
  options: {
    suite: { type: 'string' },
    class: { type: 'string' },
    only: { type: 'string', default: '' },
    most: { type: 'string', default: '40' },
    verbose: { type: 'boolean', default: false },
  },
})
const most = Number(flags.most)
const asOf = '2025-12-31'
const parser = await loadSqlParser()
const wanted = (suite) => flags.suite === undefined || flags.suite === suite

if (flags.suite !== 'derived') {
  const sample = await settingOf(await openProject(), [])
  if (wanted('sample')) await singly(sample, new Table(), 'sample, single faults')
  if (wanted('pairs')) await inPairs(sample, new Table(), 'sample, pairs')
  if (wanted('scale')) await atScale(sample)
  if (wanted('must-not')) {
    printRefusals('must not be repaired', 'right label', await mustNotRepair(sample, most))
    printRefusals('cheats', 'refused', tryCheats(sample, most))
  }
  await sample.parts.close()
}
if (wanted('derived') || wanted('pairs')) await derived()

async function derived() {
  const [single, pairs] = [new Table(), new Table()]
  for (const { name, root, probes } of derivedProjects((sql) => tokens(sql, 'sqlite'), meaningOf)) {
    const opened = await openProject(root)
    const setting = await settingOf({ ...opened, project: { ...opened.project, name } }, probes)
    console.log(
      `${name}: ${setting.kb.metrics.length} metrics, ${setting.cases.length} cases, ${probes.length} probes`,
    )
    if (wanted('derived')) await singly(setting, single)
    if (wanted('pairs')) await inPairs(setting, pairs)
    await setting.parts.close()
    rmSync(root, { recursive: true, force: true })
  }
  if (wanted('derived')) single.print('derived, single faults')
  if (wanted('pairs')) pairs.print('derived, pairs')
}

function meaningOf(template) {
  return canonicalForm(parser, template.replaceAll('{{ value }}', "'value'"), 'sqlite')
}

function tokens(sql, dialect) {
  const outcome = parser.tokenize(sql, dialect)
  return outcome.kind === 'tokens' ? outcome.tokens : []
}

/** A project with everything a trial needs; only cases that the clean knowledge base answers take part. */
async function settingOf(opened, more) {
  const { project, parts, clean } = opened
  const kb = parseKnowledgeBase(clean, project.config.kb)
  const cases = []
  for (const testCase of project.benchmark) {
    const { score } = await parts.evaluator.evaluate(testCase, clean)
    if (score.verdict === 'pass') cases.push(testCase)
  }
  const probes = more.length > 0 ? more : otherBindings(cases, kb, asOf)
  const misjudged = createJudge({ ...opened, asOf }, [...probes, ...qualified(cases)])
  const { tables: catalogue } = await parts.engine.catalogue()
  const tokenize = (sql) => tokens(sql, parts.evaluator.agentDialect)
  const faults = faultsIn({ kb, clean, tokenize, catalogue })
  const withAgent = (agent) => ({ ...parts, agent, evaluator: evaluatorFor(agent, parts) })
  return { ...opened, kb, cases, misjudged, faults, catalogue, tokenize, withAgent }
}

function evaluatorFor(agent, { engineOf, limits, evaluator }) {
  return createSqlEvaluator({
    agent,
    agentDialect: evaluator.agentDialect,
    engineOf,
    limits,
    defaults: { policy: 'evidence', tolerance: 1e-4 },
    asOf,
    loadParser: loadSqlParser,
    expectedResults: createExpectedResultsCache(),
    clock: () => performance.now(),
  })
}

function printRefusals(title, right, rows) {
  console.log(
    `\n${title.padEnd(32)}${['injected', 'accepted', right].map((one) => one.padStart(14)).join('')}`,
  )
  for (const row of rows)
    console.log(
      `${row.name.padEnd(32)}${[row.injected, row.accepted, row.right].map((one) => String(one).padStart(14)).join('')}`,
    )
}

async function singly(setting, table, title) {
  for (const [number, name] of Object.entries(classes)) {
    if (flags.class !== undefined && flags.class !== number) continue
    const faults = setting.faults.filter(
      (one) => String(one.class) === number && one.name.includes(flags.only),
    )
    for (const fault of spread(faults, most)) table.add(`${number} ${name}`, await trial(setting, fault))
  }
  if (title !== undefined) table.print(title)
}

/** Half of the pairs in one metric, half anywhere; classes as often as knowledge bases have them. */
async function inPairs(setting, table, title) {
  const byClass = {}
  for (const fault of setting.faults) byClass[fault.class] = [...(byClass[fault.class] ?? []), fault]
  const present = Object.entries(weights).flatMap(([number, weight]) =>
    byClass[number] ? Array(weight).fill(number) : [],
  )
  const pairs = new Map()
  for (let step = 0; step < most * 40 && pairs.size < most * 2; step++) {
    const of = byClass[present[(step * 31) % present.length]]
    const one = of[(step * 37) % of.length]
    const others = byClass[present[(step * 17 + 7) % present.length]].filter(
      (other) => other.class !== one.class && (step % 2 === 1 || other.metric === one.metric),
    )
    const other = others[(step * 101 + 13) % others.length]
    const pair = other && pairOf(one, other, setting.clean)
    if (pair !== undefined) pairs.set(pair.name, [one.metric === other.metric, pair])
  }
  for (const [isOne, pair] of pairs.values())
    table.add(isOne ? 'pair in one metric' : 'pair in two metrics', await trial(setting, pair))
  if (title !== undefined) table.print(title)
}

async function atScale(sample) {
  const size = 400
  const { clean, cases } = scaled({ ...sample, benchmark: sample.project.benchmark }, size)
  // Each metric has copies that say the same: without history one case alone could as well mean one of those.
  const setting = { ...sample, clean, cases, isInGit: true, misjudged: async () => [] }
  const table = new Table()
  for (const [number, name] of Object.entries(classes)) {
    const [fault] = sample.faults.filter((one) => String(one.class) === number)
    if (fault === undefined) continue
    table.add(`${number} ${name}`, await trial(setting, fault))
  }
  table.print(`${size} metrics, ${size} cases`)
}

async function trial(setting, fault) {
  const result = await tryFault(setting, fault, setting.cases)
  if (!result.injected) return result
  const head = `${fault.class} ${fault.name}`
  if (result.wrong.length > 0)
    console.log(
      `WRONG ${head}\n  ${result.accepted.join('\n  ')}\n  ${result.wrong.slice(0, 3).join('\n  ')}`,
    )
  if (result.regressions.length > 0) console.log(`REGRESSION ${head}: ${result.regressions.join(', ')}`)
  if (flags.verbose && result.outcome === 'abstained')
    console.log(`abstained ${head}\n    ${result.why.slice(0, 2).join('\n    ')}`)
  return result
}
