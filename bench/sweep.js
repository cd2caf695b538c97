// Removes every conjunct, alias and enum value of the sample's knowledge base, one at a time, and lets the loop
// repair it in memory. Prints what came back and what did not. Nothing is written.
import { fileURLToPath } from 'node:url'
import { composeParts } from '../dist/cli/compose.js'
import { loadProject } from '../dist/cli/project.js'
import { parseKnowledgeBase } from '../dist/kb/parse.js'
import { repairFailures } from '../dist/repair/loop.js'
import { parseClauses } from '../dist/repair/propose/clauses.js'
import { createDistinguisher } from '../dist/repair/twins/distinguish.js'
import { runBaseline } from '../dist/run/baseline.js'
import { loadSnapshot } from '../dist/snapshot/load.js'
import { readText, withFiles } from '../dist/snapshot/snapshot.js'
import { loadSqlParser } from '../dist/sql/parser.js'

const ignore = () => undefined
const root = fileURLToPath(new URL('..', import.meta.url))
const only = process.argv[2]
const project = await loadProject({}, root)
const parser = await loadSqlParser()
const parts = await composeParts({ config: project.config, today: '2025-12-31', onProgress: ignore })
const { snapshot: clean } = await loadSnapshot(root, [project.config.kb, project.config.agents])
const counts = new Map()

for (const fault of faults(clean)) {
  if (only !== undefined && !fault.name.includes(only)) continue
  const broken = withFiles(clean, new Map([[fault.path, new TextEncoder().encode(fault.text)]]))
  const outcome = await repair(broken)
  const kind = `${fault.kind}: ${outcome.kind}`
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
  if (outcome.kind !== 'harmless' && outcome.kind !== 'repaired')
    console.log(`${outcome.kind.padEnd(14)} ${fault.name}  ${outcome.why}`)
}
for (const [kind, count] of [...counts].sort()) console.log(`${String(count).padStart(5)}  ${kind}`)
await parts.close()

async function repair(broken) {
  const signal = new AbortController().signal
  const baseline = await runBaseline({
    cases: project.selected,
    snapshot: broken,
    evaluator: parts.evaluator,
    concurrency: 4,
    repeats: 0,
    known: new Map(),
    signal,
    onCase: ignore,
  })
  const evaluations = [...baseline.values()].map((one) => one.evaluation)
  const bad = evaluations.filter((one) => one.score.verdict !== 'pass')
  if (bad.length === 0) return { kind: 'harmless' }
  const attempts = []
  const result = await repairFailures({
    parser,
    dialect: parts.evaluator.agentDialect,
    expectedDialect: parts.dialectOf,
    kbFolder: project.config.kb,
    asOf: parts.evaluator.asOf,
    evaluator: parts.evaluator,
    concurrency: 4,
    signal,
    benchmark: project.benchmark,
    current: new Map(evaluations.map((one) => [one.testCase.id, one])),
    named: new Set(),
    distinguishes: createDistinguisher({
      parser,
      engineOf: parts.engineOf,
      dialectOf: parts.dialectOf,
      limits: parts.limits,
    }),
    snapshot: broken,
    failing: bad.filter((one) => one.score.verdict === 'fail'),
    maxRetries: 3,
    minGrade: 'E1',
    clock: () => performance.now(),
    onProgress: ignore,
    onStart: ignore,
    onAttempt: (attempt) => attempts.push(attempt),
  })
  const findings = [...result.findings].filter(([, finding]) => finding.repairId === undefined)
  if (findings.length === 0 && bad.every((one) => one.score.verdict === 'fail')) {
    return {
      kind: attempts.some((attempt) => attempt.edits.some((edit) => edit.added > 2))
        ? 'large repair'
        : 'repaired',
      why: attempts.map((attempt) => attempt.title).join('; '),
    }
  }
  const why = findings.map(([id, finding]) => `${id}: ${finding.label}: ${finding.cause}`).join(' | ')
  return {
    kind: result.accepted.length > 0 ? 'partly' : 'not repaired',
    why: why || bad.map((one) => `${one.testCase.id} ${one.score.verdict} ${one.score.reason}`).join(' | '),
  }
}

function* faults(snapshot) {
  const kb = parseKnowledgeBase(snapshot, project.config.kb)
  for (const snippet of kb.snippets.values()) yield* conjunctFaults(snippet)
  for (const metric of kb.metrics) {
    const text = readText(snapshot, metric.path)
    const words = [
      ...metric.aliases,
      ...[...metric.parameters.values()].flatMap((parameter) =>
        parameter.type === 'choice'
          ? [...parameter.values.values()].flatMap((value) => value.aliases)
          : parameter.type === 'enum'
            ? [...parameter.values.values()].flat()
            : [],
      ),
    ]
    for (const alias of new Set(words)) {
      const without = withoutItem(text, alias)
      if (without !== undefined)
        yield { kind: 'alias', name: `${metric.name} alias "${alias}"`, path: metric.path, text: without }
    }
    for (const parameter of metric.parameters.values()) {
      if (parameter.type !== 'enum') continue
      for (const code of parameter.values.keys()) {
        const without = withoutValue(text, code)
        if (without !== undefined)
          yield { kind: 'enum value', name: `${metric.name} value ${code}`, path: metric.path, text: without }
      }
    }
  }
}

function* conjunctFaults(snippet) {
  const outcome = parser.tokenize(snippet.text, 'duckdb')
  const query = parseClauses(outcome.tokens)
  if (query === undefined) return
  for (const [from, to, label] of conjunctRanges(outcome.tokens)) {
    yield {
      kind: 'conjunct',
      name: `${snippet.name} without ${label}`,
      path: snippet.path,
      text: snippet.text.slice(0, from) + snippet.text.slice(to),
    }
  }
}

/** Character ranges whose removal drops one conjunct with its AND; a lone conjunct goes with its WHERE. */
function* conjunctRanges(tokens) {
  let clause
  const ends = new Set(['GROUP', 'ORDER', 'HAVING', 'LIMIT', 'UNION', 'QUALIFY', 'WINDOW'])
  const stack = []
  for (const [index, token] of tokens.entries()) {
    const word = token.kind === 'word' ? token.text.toUpperCase() : token.text
    if (word === '(') {
      stack.push(clause)
      clause = undefined
    } else if (word === ')') {
      if (clause) yield* close(clause, index)
      clause = stack.pop()
    } else if (word === 'WHERE' || word === 'HAVING') {
      if (clause) yield* close(clause, index)
      clause = { start: index, items: [[index + 1]] }
    } else if (clause && ends.has(word)) {
      yield* close(clause, index)
      clause = word === 'HAVING' ? { start: index, items: [[index + 1]] } : undefined
    } else if (clause && word === 'BETWEEN') clause.between = true
    else if (clause && word === 'AND') {
      if (clause.between) clause.between = false
      else {
        clause.items.at(-1)[1] = index
        clause.items.push([index + 1])
      }
    }
  }
  if (clause) yield* close(clause, tokens.length)
  function* close({ start, items }, end) {
    items.at(-1)[1] = end
    for (const [i, [from, to]] of items.entries()) {
      const label = tokens
        .slice(from, to)
        .map((one) => one.text)
        .join(' ')
      if (items.length === 1) yield [tokens[start].start, tokens[to - 1].end, label]
      else if (i === 0) yield [tokens[from].start, tokens[to + 1].start, label]
      else yield [tokens[items[i - 1][1] - 1].end, tokens[to - 1].end, label]
    }
  }
}

function withoutItem(text, item) {
  const quoted = item.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  for (const pattern of [
    new RegExp(`, ["']?${quoted}["']?(?=[,\\]])`),
    new RegExp(`(?<=\\[)["']?${quoted}["']?(, )?(?=[^\\]]|\\])`),
    new RegExp(`\\n *- ["']?${quoted}["']?(?=\\n)`),
  ]) {
    if (pattern.test(text)) return text.replace(pattern, '')
  }
  return undefined
}

function withoutValue(text, code) {
  for (const pattern of [
    new RegExp(`(?<=[{ ])${code}: \\[[^\\]]*\\](, )?`),
    new RegExp(`\\n +${code}: \\[[^\\]]*\\]`),
  ])
    if (pattern.test(text)) return text.replace(pattern, '')
  return undefined
}
