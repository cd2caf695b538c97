import { maskComments } from '../../../../../kb/claims/mask-sql.js'
import type { Snippet } from '../../../../../kb/entry.js'

/** Returns the columns that the bounds of a period are compared with, by the period's name. */
export function periodBoundColumns(conditions: readonly ColumnComparison[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { column, value } of conditions) {
    for (const [, parameter = ''] of value.matchAll(/\{\{(\w+)\.(?:start|end)/g))
      found.set(parameter, (found.get(parameter) ?? new Set()).add(column))
  }
  return found
}

/** A comparison of a column with a value, as written. */
export interface ColumnComparison {
  /** Folded, without its table. */
  readonly column: string
  readonly key: string
  /** The value that it is compared with, folded. */
  readonly value: string
  readonly text: string
}

const placeholder = String.raw`\{\{[^}]*\}\}`
const literal = String.raw`(?:'(?:[^']|'')*'|-?\d+(?:\.\d+)?\b|true\b|false\b|null\b|${placeholder})`
const name = String.raw`(?:[a-z_]\w*\.)*[a-z_]\w*`
const comparison = new RegExp(
  String.raw`(?<![\w.])(${name})\s*(<=|>=|<>|!=|<|>|=|\bis\s+not\b|\bis\b|\bnot\s+like\b|\blike\b|\bnot\s+in\b|\bin\b)\s*(${literal}|\(\s*${literal}(?:\s*,\s*${literal})*\s*\))|(?<![\w.])(${name})\s+between\s+(${placeholder}\s+and\s+${placeholder})`,
  'gi',
)
/** Matches a column that is itself a condition: after WHERE, AND or NOT, and before what ends a condition. */
const booleanColumn = new RegExp(
  String.raw`\b(?:where|and)\s+(not\s+)?(${name})(?=\s*(?:$|[);]|\b(?:and|or|group|order|having|limit)\b))`,
  'gi',
)

const known = new WeakMap<Snippet, readonly ColumnComparison[]>()

/**
 * Returns every comparison of a column with a value or a placeholder, wherever it occurs, and every boolean
 * column used as a condition.
 */
export function columnComparisons(snippet: Snippet): readonly ColumnComparison[] {
  const found = known.get(snippet) ?? findComparisons(snippet)
  known.set(snippet, found)
  return found
}

function findComparisons(snippet: Snippet): ColumnComparison[] {
  const sql = maskComments(snippet.text)
  const compared = [...sql.matchAll(comparison)].map(([text, of, operator, value, ranged, range]) =>
    condition(text, of ?? ranged ?? '', operator === '!=' ? '<>' : (operator ?? 'between'), value ?? range),
  )
  const flags = [...sql.matchAll(booleanColumn)].map(([, not, of = '']) =>
    condition(`${not ?? ''}${of}`, of, not === undefined ? '' : 'not'),
  )
  return [...compared, ...flags]
}

function condition(text: string, of: string, operator: string, value = ''): ColumnComparison {
  const column = (of.split('.').at(-1) ?? of).toLowerCase()
  return {
    column,
    key: [column, normalizeSql(operator), normalizeSql(value)].join(' '),
    value: normalizeSql(value),
    text: normalizeSql(text, (part) => part).trim(),
  }
}

/** Collapses white space, and folds case outside string literals: 'Paid' is not 'paid'. */
function normalizeSql(sql: string, fold = (part: string): string => part.toLowerCase()): string {
  return sql.replaceAll(/'(?:[^']|'')*'|[^']+/g, (part) =>
    part.startsWith("'")
      ? part
      : fold(part.replaceAll(/\s+/g, ' ').replaceAll(/\{\{ ?| ?\}\}/g, (braces) => braces.trim())),
  )
}
