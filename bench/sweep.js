// Removes every conjunct, alias, enum value and file of the sample's knowledge base, one at a time, and lets the loop
// repair it in memory. Prints what came back and what did not, and whether a repair only gives back what was there: so much
// is written into a file with uncommitted changes, too. With --no-history nothing tells the loop which lines were taken out,
// as in a folder without git. With --other-structure every expected query stands in a structure of its own, which no snippet
// can take over. Nothing is written.
import { isPartialRevert } from '../build/modules/git/partial-revert.js'
import { parseKnowledgeBase } from '../build/modules/kb/parse.js'
import { readText } from '../build/modules/snapshot/snapshot.js'
import { conjunctsOf } from './conjuncts.js'
import { changed, historyOf, openProject, repairInMemory } from './in-memory.js'
import { withoutItem, withoutValue } from './yaml-text.js'

const isInGit = !process.argv.includes('--no-history')
const isOther = process.argv.includes('--other-structure')
const only = process.argv.slice(2).find((word) => !word.startsWith('--'))
const sample = await openProject()
const { project, parts, parser, clean } = sample
const benchmark = isOther ? project.benchmark.map(inOtherStructure) : undefined
const counts = new Map()

for (const fault of faults(clean)) {
  if (only !== undefined && !fault.name.includes(only)) continue
  const outcome = await repair(changed(clean, { [fault.path]: fault.text }), fault)
  const kind = `${fault.kind}: ${outcome.kind}`
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
  if (outcome.kind !== 'harmless' && outcome.kind !== 'repaired')
    console.log(`${outcome.kind.padEnd(14)} ${fault.name}  ${outcome.why}`)
}
for (const [kind, count] of [...counts].sort()) console.log(`${String(count).padStart(5)}  ${kind}`)
await parts.close()

async function repair(broken, { path, text }) {
  const history = isInGit ? historyOf(clean, { [path]: text }) : {}
  const { bad, attempts, result, open } = await repairInMemory(sample, broken, benchmark, 0, history)
  if (bad.length === 0) return { kind: 'harmless' }
  if (open.length === 0 && bad.every((one) => one.score.verdict === 'fail')) {
    const { files } = result.snapshot
    const elsewhere = [...files.keys()].some(
      (file) => file !== path && readText(result.snapshot, file) !== readText(broken, file),
    )
    const now = readText(result.snapshot, path)
    const isGivenBack =
      !elsewhere && now !== undefined && isPartialRevert(readText(clean, path), text ?? '', now)
    return {
      kind: attempts.some((attempt) => attempt.edits.some((edit) => text !== null && edit.added > 2))
        ? 'large repair'
        : isGivenBack
          ? 'repaired'
          : 'other words',
      why: attempts.map((attempt) => attempt.title).join('; '),
    }
  }
  const why = open.map(([id, finding]) => `${id}: ${finding.label}: ${finding.cause}`).join(' | ')
  return {
    kind: result.accepted.length > 0 ? 'partly' : 'not repaired',
    why: why || bad.map((one) => `${one.testCase.id} ${one.score.verdict} ${one.score.reason}`).join(' | '),
  }
}

/** The rows that the query has in common with itself: a snippet of one SELECT never reads so. */
function inOtherStructure(testCase) {
  const sql = testCase.expectedSql.trim().replace(/;$/, '')
  const expectedSql = `SELECT * FROM (${sql}) AS asked INTERSECT ALL SELECT * FROM (${sql}) AS again`
  return { ...testCase, expectedSql }
}

function* faults(snapshot) {
  const kb = parseKnowledgeBase(snapshot, project.config.kb)
  for (const snippet of kb.snippets.values()) {
    yield { kind: 'file', name: snippet.path, path: snippet.path, text: null }
    yield* conjunctFaults(snippet)
  }
  for (const metric of kb.metrics) {
    yield { kind: 'file', name: metric.path, path: metric.path, text: null }
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
  for (const { remove, label } of conjunctsOf(outcome.tokens)) {
    yield {
      kind: 'conjunct',
      name: `${snippet.name} without ${label}`,
      path: snippet.path,
      text: snippet.text.slice(0, remove[0]) + snippet.text.slice(remove[1]),
    }
  }
}
