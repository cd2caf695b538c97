import type { Catalogue, Engine, QueryLimits } from '../engine/contract/engine.js'
import { findEqualities } from '../kb/claims/equalities.js'
import type { KnowledgeBase, Metric, Snippet } from '../kb/entry.js'
import { findPlaceholders } from '../kb/render-snippet.js'
import { positionOf } from '../kb/snippet-check.js'
import { renderLiteral } from '../sql/index.js'
import type { LintFinding } from './finding.js'

interface Comparison {
  /** A table of the query, the only one of them that has the column. */
  readonly table: string
  readonly column: string
  readonly value: string
  readonly path: string
  readonly line: number
  readonly place: number
  /** The source of the string: `'paid'`, or the value of a parameter. */
  readonly said: string
}

/**
 * Returns findings about strings that queries compare a column with and that are in none of its rows: an
 * obsolete status, a misspelt code.
 */
export async function valueNotFoundFindings(
  kb: KnowledgeBase,
  engine: Engine,
  limits: QueryLimits,
  textOf: (path: string) => string,
): Promise<LintFinding[]> {
  const catalogue = await engine.catalogue()
  const known = new Map<string, boolean>()
  const findings: LintFinding[] = []
  for (const { table, column, value, path, line, place, said } of comparisonsOf(kb, catalogue, textOf)) {
    const sql = `SELECT 1 FROM ${table} WHERE ${column} = ${renderLiteral({ kind: 'text', text: value }, engine.dialect)} LIMIT 1`
    const occurs = known.get(sql) ?? (await holdsRows(engine, sql, limits))
    known.set(sql, occurs)
    if (occurs) continue
    findings.push({
      rule: 'value_not_found',
      severity: 'warning',
      path,
      line,
      column: place,
      message: `${said} does not occur in ${table}.${column}`,
      hint: 'Correct it, or keep it if such rows are expected later.',
    })
  }
  return findings
}

/**
 * Reports whether the query returns rows; also true if that cannot be determined: a query that fails or takes
 * too long proves nothing.
 */
async function holdsRows(engine: Engine, sql: string, limits: QueryLimits): Promise<boolean> {
  const outcome = await engine.query(sql, limits)
  return outcome.kind !== 'rows' || outcome.result.rows.length > 0
}

function comparisonsOf(
  kb: KnowledgeBase,
  catalogue: Catalogue,
  textOf: (path: string) => string,
): Comparison[] {
  return kb.metrics.flatMap((metric) => {
    const snippet = kb.snippets.get(metric.snippet)
    if (snippet === undefined) return []
    const tableOf = columnOwner(snippet.text, catalogue)
    return [
      ...literalComparisons(snippet, tableOf),
      ...parameterComparisons(metric, snippet, tableOf, textOf(metric.path)),
    ]
  })
}

type TableOf = (column: string) => string | undefined

function literalComparisons(snippet: Snippet, tableOf: TableOf): Comparison[] {
  return findEqualities(snippet.text).flatMap(({ column, value, offset }) => {
    const table = tableOf(column)
    if (table === undefined) return []
    const { line, column: place } = positionOf(snippet.text, offset)
    return [{ table, column, value, path: snippet.path, line, place, said: `'${value}'` }]
  })
}

/** Returns the codes of an enum that the query compares with a column: `market = {{ market }}`. */
function parameterComparisons(
  metric: Metric,
  snippet: Snippet,
  tableOf: TableOf,
  text: string,
): Comparison[] {
  return findPlaceholders(snippet.text).flatMap(({ name, start }) => {
    const parameter = metric.parameters.get(name)
    const column = /\b([a-z_]\w*)\s*=\s*$/i.exec(snippet.text.slice(0, start))?.[1]?.toLowerCase()
    const table = column === undefined ? undefined : tableOf(column)
    if (parameter?.type !== 'enum' || column === undefined || table === undefined) return []
    return [...parameter.values.keys()].map((value) => {
      const at = text.search(new RegExp(`(?<!\\w)${value.replaceAll(/\W/g, '\\$&')}(?!\\w)`))
      const { line, column: place } = positionOf(text, Math.max(at, 0))
      return { table, column, value, path: metric.path, line, place, said: `value ${value} of \`${name}\`` }
    })
  })
}

/** Returns the one table that a query reads and that has a column; undefined if there are several or none. */
function columnOwner(sql: string, { tables }: Catalogue): TableOf {
  const read = new Set(
    [...sql.matchAll(/\b(?:from|join)\s+([a-z_][\w.]*)/gi)].map((match) => (match[1] ?? '').toLowerCase()),
  )
  const candidates = tables.filter(({ name }) => read.has(name.toLowerCase()))
  return (column) => {
    const owners = candidates.filter(({ columns }) =>
      columns.some(({ name }) => name.toLowerCase() === column),
    )
    return owners.length === 1 ? owners[0]?.name : undefined
  }
}
