// How well queries are compared by structure, over labelled pairs that lie beside the repository; nothing here passes
// or fails. docs/benchmarks-compare.md keeps the figures with command and date.
import { readdirSync } from 'node:fs'
import { canonicalForm, compareQueryPair, loadSqlParser, parseSchema } from '../build/modules/sql/index.js'
import { measureAnalytic } from './analytic/analytic.js'
import { classOf, corpora, dialectsOf, present, rows, schemaTexts } from './compare-data.js'
import { proveByData } from './compare-proof.js'

const parser = await loadSqlParser()
const analytic = await measureAnalytic(parser)
console.log(
  `analytic pairs: equal ${analytic.equal} of ${analytic.pairs} (${((100 * analytic.equal) / analytic.pairs).toFixed(1)}%), ` +
    `equal_if ${analytic.equal_if}`,
)
console.log(
  `  made of them: ${analytic.queries} queries, ${analytic.forms} forms; equal form and different rows: ${analytic.failures.length}`,
)
for (const { engine, one, other } of analytic.failures) console.log(`  ${engine}\n    ${one}\n    ${other}`)

if (!present) {
  console.log('The labelled pairs are not here: nothing else is measured.')
  process.exit(0)
}

const textOf = schemaTexts()
const schemas = new Map()
function schemaOf(row) {
  const text = textOf(row.schema)
  if (text !== undefined && !schemas.has(text)) schemas.set(text, parseSchema(parser, text, 'ansi'))
  return schemas.get(text)
}
function compare(row) {
  const [a, b] = dialectsOf(row)
  const options = { schema: schemaOf(row), conventionalNames: true, dialectDefaults: true }
  return compareQueryPair(parser, { sql: row.sql_a, dialect: a }, { sql: row.sql_b, dialect: b }, options)
}

console.log('parser coverage')
for (const file of readdirSync(corpora).filter((name) => /^queries_.*\.jsonl$/.test(name))) {
  const dialect = file.slice('queries_'.length, -'.jsonl'.length)
  const queries = rows(file)
  const read = queries.filter((row) => parser.parse(row.sql ?? row.query, dialect).kind === 'query').length
  console.log(
    `  ${dialect.padEnd(12)} ${read} of ${queries.length} (${((100 * read) / queries.length).toFixed(1)}%)`,
  )
}

const pairs = [...rows('pairs_equiv.jsonl'), ...rows('pairs_diff.jsonl')]
const counts = new Map()
for (const row of pairs) {
  const name = classOf(row)
  const count = counts.get(name) ?? { pairs: 0, equal: 0, told: 0, equal_if: 0, different: 0, unparsable: 0 }
  const { kind, assumptions } = compare(row)
  count.pairs++
  count[kind]++
  if (kind === 'equal' && assumptions !== undefined) count.told++
  counts.set(name, count)
}
console.log('pairs')
for (const [name, { pairs: n, equal, told, equal_if: assumed, different, unparsable }] of counts) {
  const share = (count) => `${((100 * count) / n).toFixed(1)}%`
  console.log(
    `  ${name.padEnd(20)} equal ${equal} of ${n} (${share(equal)}), with equal_if ${share(equal + assumed)}; ` +
      `${told} of the equal with something taken as usual and told, equal_if ${assumed}, different ${different}, unparsable ${unparsable}`,
  )
}

// The clock tells what one thread does; processor time counts V8's compilers and collectors beside it.
const started = performance.now()
const cpu = process.cpuUsage()
for (const row of pairs) compare(row)
const used = process.cpuUsage(cpu)
const seconds = (performance.now() - started) / 1e3
const processorSeconds = (used.user + used.system) / 1e6
console.log(
  `after warm-up, one thread: ${Math.round(pairs.length / seconds)} pairs a second, ` +
    `${Math.round(pairs.length / processorSeconds)} a second of processor time of all V8's threads`,
)

const proof = proveByData(
  (sql, schema) => canonicalForm(parser, sql, 'sqlite', schema),
  (ddl) => parseSchema(parser, ddl, 'ansi'),
)
console.log(
  `mutants and collisions: ${proof.queries} queries, ${proof.forms} forms, ${proof.ties} differ by ties under LIMIT`,
)
console.log(`  equal form and different rows: ${proof.failures.length}`)
for (const { database, one, other } of proof.failures) console.log(`  ${database}\n    ${one}\n    ${other}`)
