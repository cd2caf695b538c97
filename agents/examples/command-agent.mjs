import { existsSync, readFileSync } from 'node:fs'

// One question on standard input, one answer on standard output: any language will do.
const { question, kb } = JSON.parse(readFileSync(0, 'utf8'))
const [, market, metric, year] = /^(\w\w) (\w+) in (\d{4})$/.exec(question) ?? []
const snippet = `${kb}/snippets/${metric?.toLowerCase()}.sql`
const values = { market, 'period.start': `${year}-01-01`, 'period.end': `${year}-12-31` }
const fill = (text) => text.replace(/{{ ([\w.]+) }}/g, (_, name) => `'${values[name]}'`)
const answer = existsSync(snippet)
  ? { type: 'sql', sql: fill(readFileSync(snippet, 'utf8')) }
  : { type: 'no_answer', message: 'ask "TH GMV in 2025"' }
console.log(JSON.stringify(answer))
