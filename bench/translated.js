// How much of what a translator writes is told equal to what it read: queries of ../shared/corpora in one dialect, in all
// others. A figure to compare with itself: the translator makes mistakes, which are rightly told apart.
// `node bench/translated.js [--list]`, after `npm run build`.
import { compareQueryPair, loadSqlParser, loadSqlTranslator } from '../build/modules/sql/index.js'
import { present, rows } from './compare-data.js'

if (!present) {
  console.log('no corpora beside the project: nothing to measure')
  process.exit(0)
}
const dialects = ['sqlite', 'postgres', 'mysql', 'trino', 'duckdb', 'bigquery', 'snowflake']
const targets = [...dialects, 'spark', 'redshift']
const list = process.argv.includes('--list')
const parser = await loadSqlParser()
const translator = await loadSqlTranslator()
const total = {}
for (const from of dialects) {
  const tally = {}
  for (const { id, sql } of rows(`queries_${from}.jsonl`)) {
    for (const to of targets.filter((target) => target !== from)) {
      const translated = translator.translate(sql, from, to)
      if (translated.kind !== 'sql') continue
      const finding = compareQueryPair(parser, { sql, dialect: from }, { sql: translated.sql, dialect: to })
      for (const counts of [tally, total]) counts[finding.kind] = (counts[finding.kind] ?? 0) + 1
      if (list && finding.kind === 'different')
        console.log(
          id,
          to,
          finding.differences
            .map(({ text }) => text)
            .join('; ')
            .slice(0, 200),
        )
    }
  }
  console.log(from.padEnd(12), words(tally))
}
console.log('all'.padEnd(12), words(total))

function words(tally) {
  const all = Object.values(tally).reduce((sum, count) => sum + count, 0)
  const share = (kind) => `${kind} ${(((tally[kind] ?? 0) / all) * 100).toFixed(1)}%`
  return `${all} pairs: ${['equal', 'equal_if', 'different', 'unparsable'].map(share).join(', ')}`
}
