// Knowledge bases derived from real databases: a metric for each query of the corpus that two phrasings ask for with a
// value of a column in both, its words from the real questions, its values from the column.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { leftoverSpans } from '../../build/modules/kb/words/content-words.js'
import { Sqlite as Database } from '../../build/modules/platform/sqlite.js'

const corpora = fileURLToPath(new URL('../../../shared/corpora/', import.meta.url))
const mostValues = 14
const casesEach = 5

/**
 * Scratch projects, one a database that yields at least one metric; none where the corpora are missing.
 *
 * @param meaningOf equal for queries with `{{ value }}` that mean the same; undefined for what is no query
 */
export function derivedProjects(tokenize, meaningOf) {
  const file = join(corpora, 'databases/cases.jsonl')
  if (!existsSync(file)) return []
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const byDatabase = grouped(rows, (row) => row.db)
  return [...byDatabase].flatMap(([db, cases]) => {
    const path = join(corpora, 'databases', `${db}.sqlite`)
    const metrics = metricsOf(cases, path, tokenize, meaningOf)
    return metrics.length === 0 ? [] : [writeProject(db, path, metrics)]
  })
}

function metricsOf(cases, path, tokenize, meaningOf) {
  const database = new Database(path, { readonly: true })
  const drafts = cases.flatMap((row) => draftsOf(row, database, tokenize))
  database.close()
  const taken = new Set()
  const meanings = new Set()
  return [...grouped(drafts, (draft) => draft.template).values()].flatMap((group, index) => {
    const [{ template, column, values }] = group
    // Of two metrics that mean the same, no question could say which is asked for.
    const meaning = meaningOf(template)
    if (meaning === undefined || meanings.has(meaning)) return []
    meanings.add(meaning)
    const phrasings = []
    for (const { before, after } of group) {
      const words = [before, after].flatMap((text) => aliasOf(text))
      const key = words.join(' … ').toLowerCase()
      if (words.length === 0 || taken.has(key)) continue
      taken.add(key)
      phrasings.push({ before, after, words })
    }
    if (phrasings.length === 0) return []
    return [{ name: `m${index + 1}_${column.toLowerCase()}`, template, column, values, phrasings }]
  })
}

/** The metric that one real question would be of: the value it names becomes the parameter. */
function draftsOf({ question, gold_sql }, database, tokenize) {
  const sql = gold_sql.trim().replace(/;$/, '')
  const tokens = tokenize(sql)
  return tokens
    .flatMap((token, index) => {
      const column = tokens[index - 2]
      if (token.kind !== 'string' || tokens[index - 1]?.text !== '=' || column?.kind !== 'word') return []
      const at = question.toLowerCase().indexOf(token.value.toLowerCase())
      const values = valuesOf(column.text, token.value, database)
      const isSaid = (each) =>
        each !== token && each.kind === 'string' && question.toLowerCase().includes(each.value.toLowerCase())
      if (tokens.some(isSaid)) return []
      if (at < 0 || values.length < 4 || tokens.filter((each) => each.text === token.text).length > 1)
        return []
      return [
        {
          template: `${sql.slice(0, token.start)}{{ value }}${sql.slice(token.end)}`,
          column: column.text,
          values,
          before: question.slice(0, at),
          after: question.slice(at + token.value.length),
        },
      ].slice(0, 1)
    })
    .slice(0, 1)
}

/** Values of the column, the real question's first, all of one shape that a question can say. */
function valuesOf(column, value, database) {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  for (const { name } of tables) {
    const columns = database
      .prepare(`PRAGMA table_info("${name}")`)
      .all()
      .map((each) => each.name)
    const own = columns.find((each) => each.toLowerCase() === column.toLowerCase())
    if (own === undefined) continue
    const all = database
      .prepare(`SELECT DISTINCT "${own}" AS v FROM "${name}" WHERE "${own}" IS NOT NULL ORDER BY 1`)
      .all()
      .map((row) => String(row.v))
    if (!all.includes(value)) continue
    const others = all.filter((each) => each !== value && /^[\p{L}][\p{L} ]{2,24}$/u.test(each))
    return /^[\p{L}][\p{L} ]{2,24}$/u.test(value) ? [value, ...others].slice(0, mostValues) : []
  }
  return []
}

/** From the first to the last word that carries meaning. */
function aliasOf(text) {
  const spans = leftoverSpans(text, [])
  const [first, last] = [spans[0], spans.at(-1)]
  return first === undefined || last === undefined ? [] : [text.slice(first.start, last.end)]
}

function writeProject(db, path, metrics) {
  const root = mkdtempSync(join(tmpdir(), `autotest-derived-${db}-`))
  for (const folder of ['benchmarks', 'agents', 'kb/metrics', 'kb/snippets'])
    mkdirSync(join(root, folder), { recursive: true })
  copyFileSync(path, join(root, `${db}.sqlite`))
  writeFileSync(
    join(root, 'autotest.config.yaml'),
    `engine: sqlite:${db}.sqlite\nagent: { kind: template }\n`,
  )
  const probes = []
  const cases = []
  for (const { name, template, values, phrasings } of metrics) {
    const aliases = [...new Set(phrasings.flatMap(({ words }) => words))]
    writeFileSync(
      join(root, `kb/metrics/${name}.yaml`),
      `metric: ${name}\naliases: [${aliases.map((word) => JSON.stringify(word)).join(', ')}]\nsnippet: ${name}.sql\nparameters:\n  value: { type: enum, values: [${values.map((value) => JSON.stringify(value)).join(', ')}] }\n`,
    )
    writeFileSync(join(root, `kb/snippets/${name}.sql`), `${laidOut(template)}\n`)
    for (const [index, value] of values.entries()) {
      const phrasing = phrasings[index % phrasings.length]
      const asked = {
        question: `${phrasing.before}${value}${phrasing.after}`,
        sql: template.replace('{{ value }}', `'${value.replaceAll("'", "''")}'`),
      }
      if (index < casesEach) cases.push({ id: `${name}_${index}`, ...asked })
      else probes.push(asked.question)
    }
  }
  const rows = cases.map(
    ({ id, question, sql }) =>
      `  - id: ${id}\n    question: ${JSON.stringify(question)}\n    expected_sql: ${JSON.stringify(sql)}\n`,
  )
  writeFileSync(join(root, 'benchmarks/real.yaml'), `cases:\n${rows.join('')}`)
  return { name: db, root, probes }
}

/** A line a clause, as authors write; the corpus has each query on one line. */
function laidOut(sql) {
  return sql
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/\s+(FROM|WHERE|GROUP BY|ORDER BY|HAVING|LIMIT|INTERSECT|UNION|EXCEPT)\b/gi, '\n$1')
    .replaceAll(/\s+(JOIN|AND)\b/gi, '\n  $1')
}

function grouped(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
