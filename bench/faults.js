// Injects each class of fault at every place of the sample's knowledge base where it applies, lets the loop repair it
// in memory, and judges each accepted repair by the clean knowledge base's answers to questions that no case asks.
// node bench/faults.js [--class 4] [--only TEXT] [--most N a class] [--cases N a metric] [--verbose]
import { parseArgs } from 'node:util'
import { compareResults } from '../dist/modules/compare/results.js'
import { interpret } from '../dist/modules/kb/interpret.js'
import { parseKnowledgeBase } from '../dist/modules/kb/parse.js'
import { changedPaths, readText } from '../dist/modules/snapshot/snapshot.js'
import { compareQueries } from '../dist/modules/sql/compare.js'
import { faultsOf } from './fault-classes.js'
import { changed, openProject, repairInMemory } from './in-memory.js'

const { values: flags } = parseArgs({
  options: {
    class: { type: 'string' },
    only: { type: 'string' },
    most: { type: 'string', default: '40' },
    cases: { type: 'string', default: '100' },
    verbose: { type: 'boolean', default: false },
  },
})
const names = {
  1: 'stale table',
  2: 'stale column',
  3: 'sibling column',
  4: 'missing filter',
  5: 'wrong scope',
  6: 'wrong literal',
  7: 'logic',
  8: 'aggregation',
  9: 'NULL',
  10: 'join or key',
  12: 'ratio',
  13: 'time column',
  14: 'boundary',
  15: 'unit',
  16: 'synonym',
  19: 'hard-coded',
  20: 'value or metric',
  oracle: 'expected query',
}
const sample = await openProject()
const { project, parts, parser, clean } = sample
const { tables: catalogue } = await parts.engine.catalogue()
const kb = parseKnowledgeBase(clean, project.config.kb)
const benchmark = thinned(project.benchmark, Number(flags.cases))
const probes = probeQuestions()
const answers = new Map()
const rows = new Map()

const all = [...faultsOf({ kb, textOf: (path) => readText(clean, path), tokenize, catalogue })]
for (const name of Object.keys(names)) {
  if (name === 'oracle' || (flags.class !== undefined && flags.class !== name)) continue
  const faults = all.filter((one) => String(one.class) === name && one.name.includes(flags.only ?? ''))
  for (const fault of spread(faults, Number(flags.most))) await tryFault(name, fault)
}
if (flags.class === undefined || flags.class === 'oracle') await corruptOracles()
printTable()
await parts.close()

function tokenize(text) {
  const outcome = parser.tokenize(text, 'duckdb')
  return outcome.kind === 'tokens' ? outcome.tokens : []
}

function metricOf({ question, asOf }) {
  return interpret(question, kb, asOf ?? '2025-12-31').metric?.id
}

/** At most so many cases a metric: with one, only twins tell a right repair from a wrong one. */
function thinned(cases, most) {
  const taken = new Map()
  return cases.filter((one) => {
    const metric = metricOf(one)
    taken.set(metric, (taken.get(metric) ?? 0) + 1)
    return taken.get(metric) <= most
  })
}

/** At most so many, evenly over all places. */
function spread(items, most) {
  if (items.length <= most) return items
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)])
}

async function tryFault(name, fault) {
  const broken = changed(clean, fault.files)
  let outcome
  try {
    outcome = await repairInMemory(sample, broken, benchmark)
  } catch (error) {
    count(name, 'crashed')
    console.log(`CRASH ${name} ${fault.name}: ${error.stack}`)
    return
  }
  const { bad, attempts, result, open, ms } = outcome
  if (bad.length === 0) return count(name, 'harmless')
  if (bad.every((one) => one.score.verdict !== 'fail')) return count(name, 'unproven')
  count(name, 'injected')
  rows.get(name).ms = Math.max(rows.get(name).ms ?? 0, ms)
  count(name, 'attempts', attempts.length)
  if (result.accepted.length > 0) {
    const wrong = await misjudged(broken, result.snapshot)
    if (wrong.length > 0) {
      count(name, 'wrong')
      console.log(
        `WRONG ${name} ${fault.name}\n  ${result.accepted.map(({ attempt }) => `${attempt.grade} ${attempt.title}\n${attempt.edits.map((edit) => edit.diff).join('\n')}`).join('\n  ')}\n  ${wrong.slice(0, 3).join('\n  ')}`,
      )
    }
    const grades = result.accepted.map(({ attempt }) => attempt.grade)
    if (open.length === 0 && wrong.length === 0)
      count(name, grades.every((grade) => grade === 'E2') ? 'E2' : 'E1')
  }
  const after = new Map(outcome.evaluations.map((one) => [one.testCase.id, one]))
  for (const testCase of benchmark) {
    const { score } = await parts.evaluator.evaluate(testCase, result.snapshot)
    if (after.get(testCase.id)?.score.verdict === 'pass' && score.verdict !== 'pass') {
      count(name, 'regressions')
      console.log(`REGRESSION ${name} ${fault.name}: ${testCase.id}`)
    }
  }
  if (open.length > 0) {
    count(name, 'abstained')
    if (flags.verbose) {
      const why = open.slice(0, 2).map(([id, finding]) => `${id}: ${finding.label}: ${finding.cause}`)
      console.log(`abstained ${name} ${fault.name}\n    ${why.join('\n    ')}`)
    }
  }
}

/** Questions that the repaired knowledge answers otherwise than the clean one. */
async function misjudged(broken, repaired) {
  if (changedPaths(clean, repaired).length === 0) return []
  const wrong = []
  for (const question of probes) {
    const good = await answerTo(question, clean)
    const now = await answerTo(question, repaired)
    if (good === undefined || good === now) continue
    if (now === undefined) {
      if ((await answerTo(question, broken)) === good) wrong.push(`${question}: no longer answered`)
      continue
    }
    if (compareQueries(parser, good, now, 'duckdb').kind === 'equal') continue
    if (!(await sameRows(good, now))) wrong.push(`${question}\n    ${good}\n    ${now}`)
  }
  return wrong
}

async function answerTo(question, snapshot) {
  const asked = { id: 'probe', question, dialect: 'duckdb', asOf: '2025-12-31' }
  const known = snapshot === clean ? answers.get(question) : undefined
  const sample = known ?? (await parts.agent.ask(asked, snapshot))
  if (snapshot === clean) answers.set(question, sample)
  return sample.kind === 'sql' ? sample.sql : undefined
}

async function sameRows(good, now) {
  const [left, right] = [
    await parts.engine.query(good, parts.limits),
    await parts.engine.query(now, parts.limits),
  ]
  if (left.kind !== 'rows' || right.kind !== 'rows') return false
  const options = { order: 'unordered', tolerance: 1e-9, columns: 'position' }
  return compareResults(left.result, right.result, options).match
}

/** The questions of the cases with other markets and other periods in them. */
function probeQuestions() {
  const asked = new Set(project.benchmark.map((one) => one.question))
  const found = new Set()
  for (const { question, asOf } of project.benchmark) {
    const meaning = interpret(question, kb, asOf ?? '2025-12-31')
    if (meaning.kind !== 'bound') continue
    const market = meaning.bindings.find(({ value, span }) => value.kind === 'enum' && span !== undefined)
    const period = meaning.bindings.find(
      ({ value, span }) => value.kind === 'date_range' && span !== undefined,
    )
    const markets = market === undefined ? [undefined] : ['ID', 'TH', 'SG', 'VN']
    const periods =
      period === undefined ? [undefined] : ['August 2025', 'from 2025-09-05 to 2025-09-21', 'Q1 2025']
    for (const code of markets)
      for (const words of periods) {
        const places = [
          [market, code],
          [period, words],
        ].filter(([place]) => place !== undefined)
        const text = places
          .sort(([a], [b]) => b.span.start - a.span.start)
          .reduce((whole, [{ span }, by]) => {
            const in_ = /^(in|during|on|for|of)\s+/i.exec(span.text)?.[0] ?? ''
            return `${whole.slice(0, span.start)}${by.startsWith('from') ? '' : in_}${by}${whole.slice(span.end)}`
          }, question)
        if (!asked.has(text)) found.add(text)
      }
  }
  return [...found]
}

/** One expected query of a metric corrupted, where other cases of the metric contradict it: nothing may be repaired. */
async function corruptOracles() {
  const cases = benchmark
  const perMetric = new Map()
  for (const one of cases) perMetric.set(metricOf(one), (perMetric.get(metricOf(one)) ?? 0) + 1)
  const faults = cases.flatMap((testCase) => {
    if (perMetric.get(metricOf(testCase)) < 2) return []
    const expected = { text: testCase.expectedSql, name: testCase.id, path: testCase.id }
    return [
      ...faultsOf({
        kb: { snippets: new Map([['x', expected]]), metrics: [] },
        textOf: () => '',
        tokenize,
        catalogue,
      }),
    ].map((fault) => ({ testCase, sql: Object.values(fault.files)[0], name: fault.name }))
  })
  for (const { testCase, sql, name } of spread(
    faults.filter((one) => one.name.includes(flags.only ?? '')),
    Number(flags.most) * 3,
  )) {
    const changedCases = cases.map((one) => (one === testCase ? { ...one, expectedSql: sql } : one))
    const { bad, attempts, result, open, ms } = await repairInMemory(sample, clean, changedCases)
    if (bad.length === 0) {
      count('oracle', 'harmless')
      continue
    }
    count('oracle', 'injected')
    rows.get('oracle').ms = Math.max(rows.get('oracle').ms ?? 0, ms)
    count('oracle', 'attempts', attempts.length)
    if (result.accepted.length > 0) {
      count('oracle', 'wrong')
      console.log(
        `WRONG oracle ${name}: ${result.accepted.map(({ attempt }) => `${attempt.title}\n${attempt.edits.map((edit) => edit.diff).join('\n')}`).join('\n')}`,
      )
    } else {
      count('oracle', 'abstained')
      const suspect =
        bad.every((one) => one.score.errorCause === 'suspect_oracle') ||
        (open.length > 0 && open.every(([, finding]) => finding.label === 'suspect_oracle'))
      if (suspect) count('oracle', 'rightLabel')
      else if (flags.verbose)
        console.log(
          `unlabelled oracle ${name}: ${open.map(([, finding]) => `${finding.label}: ${finding.cause}`).join(' | ') || bad[0].score.reason}`,
        )
    }
  }
}

function count(name, what, by = 1) {
  const row = rows.get(name) ?? {}
  rows.set(name, row)
  row[what] = (row[what] ?? 0) + by
}

function printTable() {
  const columns = [
    'injected',
    'E2',
    'E1',
    'abstained',
    'wrong',
    'regressions',
    'attempts',
    'crashed',
    'unproven',
    'harmless',
    'rightLabel',
  ]
  console.log(
    `\n${'class'.padEnd(22)}${columns.map((one) => one.padStart(12)).join('')}${'repaired'.padStart(10)}${'slowest'.padStart(10)}`,
  )
  for (const [name, row] of rows) {
    const repaired = Math.round((100 * ((row.E2 ?? 0) + (row.E1 ?? 0))) / (row.injected || 1))
    console.log(
      `${`${name} ${names[name]}`.padEnd(22)}${columns.map((one) => String(row[one] ?? 0).padStart(12)).join('')}${`${repaired}%`.padStart(10)}${`${Math.round(row.ms ?? 0)} ms`.padStart(10)}`,
    )
  }
}
