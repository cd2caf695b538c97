import type { Catalogue } from '../engine/engine.js'
import type { KnowledgeBase, Metric, Note } from '../kb/entry.js'
import { placeholders } from '../kb/render.js'
import { positionOf } from '../kb/snippet-check.js'
import { quotedRegions } from '../kb/sql-text.js'
import { nearest } from '../nearest.js'
import { equalitiesIn } from './equalities.js'
import type { LintFinding } from './finding.js'

/** Notes and titles against the SQL and the tables: what names nothing, and what says other than the queries do. */
export function textFindings(
  kb: KnowledgeBase,
  catalogue: Catalogue | undefined,
  textOf: (path: string) => string,
): LintFinding[] {
  const conditions = conditionsOf(kb)
  const names = catalogue === undefined ? undefined : namesOf(kb, catalogue)
  return [
    ...kb.notes.flatMap((note) => [
      ...(names === undefined ? [] : unknownNames(note, names)),
      ...otherConditions(note, conditions),
    ]),
    ...kb.metrics.flatMap((metric) => titleFindings(metric, kb, textOf)),
  ]
}

interface CodeSpan {
  readonly code: string
  readonly offset: number
}

/** Text between single backticks: what a note quotes from the SQL. */
function codeSpans(text: string): CodeSpan[] {
  return [...text.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map((match) => ({
    code: (match[1] ?? '').trim(),
    offset: match.index + 1,
  }))
}

interface Names {
  /** Tables (bare and qualified), columns, entries and texts of the queries, folded. */
  readonly known: ReadonlySet<string>
}

function namesOf(kb: KnowledgeBase, { tables }: Catalogue): Names {
  const known = new Set<string>()
  const add = (name: string): void => void known.add(name.toLowerCase())
  for (const { name, columns } of tables) {
    add(name)
    for (const part of name.split('.')) add(part)
    for (const column of columns) {
      add(column.name)
      add(`${name}.${column.name}`)
      add(`${name.split('.').at(-1)}.${column.name}`)
    }
  }
  for (const { name, parameters } of kb.metrics) for (const word of [name, ...parameters.keys()]) add(word)
  for (const { name, text } of kb.snippets.values()) {
    add(name)
    add(name.replace(/\.sql$/i, ''))
    // Texts, aliases and common table expressions of the queries are names that a note may use too.
    for (const [word] of text.matchAll(/\w+/g)) add(word)
  }
  return { known }
}

/** A word that only a name looks like: `is_test`, `commerce.orders_v1`. */
const nameLike = /^(?:[a-z]\w*\.){0,2}[a-z]\w*$/i

function unknownNames(note: Note, { known }: Names): LintFinding[] {
  return codeSpans(note.text).flatMap(({ code, offset }): LintFinding[] => {
    if (!nameLike.test(code) || !/[._]/.test(code) || known.has(code.toLowerCase())) return []
    const meant = nearest(code, known)
    return [
      {
        rule: 'unknown_name',
        severity: 'warning',
        path: note.path,
        ...positionOf(note.text, offset),
        message: `\`${code}\` is no table, column or entry`,
        hint:
          meant === undefined ? 'Correct the note, or what it should name.' : `did you mean \`${meant}\`?`,
      },
    ]
  })
}

/** Column (folded, unqualified) → the texts that queries compare it with, each with the snippets that do. */
type Conditions = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

function conditionsOf(kb: KnowledgeBase): Conditions {
  const found = new Map<string, Map<string, string[]>>()
  for (const { name, text } of kb.snippets.values()) {
    for (const { column, value } of equalitiesIn(text)) {
      const values = found.get(column) ?? new Map<string, string[]>()
      found.set(column, values)
      values.set(value, [...(values.get(value) ?? []), name])
    }
  }
  return found
}

/** A condition that a note states, where every query that tests the column tests it for something else. */
function otherConditions(note: Note, conditions: Conditions): LintFinding[] {
  return codeSpans(note.text).flatMap(({ code, offset }) =>
    equalitiesIn(code).flatMap(({ column, value }): LintFinding[] => {
      const written = conditions.get(column)
      if (written === undefined || written.has(value)) return []
      const says = [...written].map(([other, names]) => `'${other}' in ${names.slice(0, 3).join(', ')}`)
      return [
        {
          rule: 'text_contradicts_sql',
          severity: 'warning',
          path: note.path,
          ...positionOf(note.text, offset),
          message: `says \`${column} = '${value}'\`, but no query does: it is ${says.slice(0, 3).join('; ')}`,
          hint: 'Correct the note or the queries, whichever is wrong.',
        },
      ]
    }),
  )
}

/** What a title promises → what some query of that kind must hold, in its text without strings and comments. */
const promises: readonly { readonly words: RegExp; readonly sql: RegExp; readonly lacks: string }[] = [
  {
    words: /\b(?:average|mean)\b/i,
    sql: /\b(?:avg|mean|median|regr_avg\w*|approx_percentile|percentile_\w+|quantile\w*)\s*\(|\//i,
    lacks: 'an average or a division',
  },
  {
    words: /\b(?:rate|ratio|share|percentage)\b/i,
    sql: /\/|\bavg\s*\(|\bdivide\s*\(/i,
    lacks: 'a division or an average',
  },
  {
    words: /\b(?:distinct|unique)\b/i,
    sql: /\bdistinct\b|\bgroup\s+by\b|approx_\w*distinct|\bapprox_count_distinct/i,
    lacks: 'DISTINCT',
  },
]

function titleFindings(metric: Metric, kb: KnowledgeBase, textOf: (path: string) => string): LintFinding[] {
  const snippet = kb.snippets.get(metric.snippet)
  if (snippet === undefined) return []
  const expressions = [...metric.parameters.values()].flatMap((parameter) =>
    parameter.type === 'choice' ? [...parameter.values.values()].map(({ sql }) => sql) : [],
  )
  const sql = [bareSql(snippet.text), ...expressions].join('\n')
  return promises
    .filter((promise) => promise.words.test(metric.title) && !promise.sql.test(sql))
    .map(({ lacks }) => {
      const text = textOf(metric.path)
      const at = text.search(/^title:/m)
      return {
        rule: 'text_contradicts_sql',
        severity: 'warning',
        path: metric.path,
        ...positionOf(text, Math.max(at, 0)),
        message: `the title says "${metric.title}", but ${snippet.path} holds no sign of ${lacks}`,
        hint: 'Correct the title or the query, whichever is wrong.',
      }
    })
}

/** The query without its strings, comments and placeholders. */
function bareSql(sql: string): string {
  const cut = [...quotedRegions(sql).filter(({ kind }) => kind !== 'quoted name'), ...placeholders(sql)].sort(
    (a, b) => b.start - a.start,
  )
  return cut.reduce((text, { start, end }) => `${text.slice(0, start)} ${text.slice(end)}`, sql)
}
