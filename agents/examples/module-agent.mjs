import { existsSync, readFileSync } from 'node:fs'

/** Answers questions like "TH GMV in 2025" from the knowledge base's snippets. */
export default function answer({ question, kb }) {
  const [, market, metric, year] = /^(\w\w) (\w+) in (\d{4})$/.exec(question) ?? []
  const snippet = `${metric?.toLowerCase()}.sql`
  if (!existsSync(`${kb}/snippets/${snippet}`)) return { type: 'no_answer', message: 'ask "TH GMV in 2025"' }
  const values = { market, 'period.start': `${year}-01-01`, 'period.end': `${year}-12-31` }
  const text = readFileSync(`${kb}/snippets/${snippet}`, 'utf8')
  const sql = text.replace(/{{ ([\w.]+) }}/g, (_, name) => `'${values[name]}'`)
  return { type: 'sql', sql, read: [`snippet:${snippet}`] }
}
