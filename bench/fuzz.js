// How well fuzzed copies tell queries apart: labelled pairs on the databases of ../shared/corpora, 5 copies each.
// `node bench/fuzz.js [copies] [seed] [--list]`, after `npm run build`.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCopyComparer } from '../build/modules/compare/copies/compare-on-copies.js'
import { queryOrder } from '../build/modules/compare/order/query-order.js'
import { runAndCompare } from '../build/modules/compare/outcomes/run-and-compare.js'
import { sqliteKind } from '../build/modules/engine/file/sqlite.js'
import { openEngine } from '../build/modules/engine/open-engine.js'
import { loadSqlParser } from '../build/modules/sql/index.js'

const corpora = fileURLToPath(new URL('../../shared/corpora/', import.meta.url))
if (!existsSync(join(corpora, 'databases'))) {
  console.log('no corpora beside the project: nothing to measure')
  process.exit(0)
}
const [count = 5, seed = 1] = process.argv
  .slice(2)
  .filter((arg) => /^\d+$/.test(arg))
  .map(Number)
const list = process.argv.includes('--list')
const limits = { timeoutMs: 10_000, rows: 100_000, bytes: 64e6, memoryBytes: 1e9 }
const root = mkdtempSync(join(tmpdir(), 'autotest-fuzz-'))
await cp(join(corpora, 'databases'), root, { recursive: true })
const parser = await loadSqlParser()
const copies = createCopyComparer({ count, seed, source: async () => undefined, loadParser: loadSqlParser })
const engines = new Map()

try {
  for (const [file, label] of [
    ['pairs_diff.jsonl', 'different pairs'],
    ['pairs_equiv.jsonl', 'equivalent pairs'],
  ]) {
    const tally = { pairs: 0, differ: 0, failed: 0, match: 0, refuted: 0, weak: 0 }
    const started = performance.now()
    for (const pair of pairsOf(file)) await measure(pair, tally)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(
      `${label}: ${tally.pairs}, of which on the database ${tally.differ} differ, ${tally.failed} fail, ${tally.match + tally.refuted + tally.weak} match;`,
      `of these ${count} copies refute ${tally.refuted}, agree with ${tally.match}, say too little of ${tally.weak} (${seconds} s)`,
    )
  }
} finally {
  for (const engine of engines.values()) await engine.close()
  rmSync(root, { recursive: true, force: true })
}

function pairsOf(file) {
  const rows = readFileSync(join(corpora, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return rows.filter(
    (row) =>
      row.suspect === undefined && row.dialect === 'sqlite' && existsSync(join(root, `${row.db}.sqlite`)),
  )
}

async function measure({ id, db, sql_a, sql_b }, tally) {
  const engine = await engineOf(db)
  const pair = {
    limits,
    expectedSql: sql_a,
    generatedSql: sql_b,
    order: queryOrder(parser, sql_a, 'sqlite'),
    tolerance: 1e-4,
    columns: 'auto',
  }
  const here = await runAndCompare({
    ...pair,
    engine,
    same: false,
    expectedOutcome: () => engine.query(sql_a, limits),
  })
  tally.pairs++
  if (here.kind === 'mismatch') tally.differ++
  else if (here.kind !== 'match') tally.failed++
  if (here.kind !== 'match') return
  const found = await copies.compare(engine, pair)
  tally[found.kind === 'fails' ? 'refuted' : found.kind]++
  if (list)
    console.log(`${id} ${db} ${found.kind} ${found.copy?.title ?? found.informative}\n  ${sql_a}\n  ${sql_b}`)
}

async function engineOf(db) {
  const known = engines.get(db)
  if (known !== undefined) return known
  const engine = await openEngine(`sqlite:${db}.sqlite`, [sqliteKind], {
    root,
    concurrency: 1,
    memoryBytes: 1e9,
  })
  engines.set(db, engine)
  return engine
}
