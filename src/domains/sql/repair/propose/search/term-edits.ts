import type { SqlToken } from '../../../../../sql/index.js'

import type { Atoms } from './atoms.js'
import { carry, columnsIn, sourceOfColumn } from './carry.js'
import type { QueryText, SelectScope } from './query-scopes.js'
import type { TextEdit } from './text-edit.js'

const comparisons = ['=', '<>', '<', '<=', '>', '>=']
const aggregates = ['sum', 'avg', 'count', 'min', 'max']

/** Returns the edits that replace one word, sign or literal of an entry by another. */
export function termEdits(entry: QueryText, atoms: Atoms, expected: readonly QueryText[]): TextEdit[] {
  const ranges = entry.scopes.map(({ select }) => select.range)
  const inside = (at: number): boolean => ranges.some(({ from, to }) => at >= from && at < to)
  return [
    ...entry.tokens.flatMap((token, at) => (inside(at) ? tokenEdits(entry, token, at, atoms, expected) : [])),
    ...columnEdits(entry, expected),
    ...tableEdits(entry, expected),
  ]
}

function tokenEdits(
  entry: QueryText,
  token: SqlToken,
  at: number,
  { literals }: Atoms,
  expected: readonly QueryText[],
): TextEdit[] {
  const other = (texts: readonly string[], evidence: TextEdit['evidence']): TextEdit[] =>
    texts
      .filter((text) => text.toLowerCase() !== token.text.toLowerCase())
      .map((text) => replaced(token, text, evidence, expected))
  if (token.kind === 'string' || token.kind === 'number') {
    const alike = literals.flatMap(({ query, range }) => {
      const found = query.tokens[range.from]
      return found?.kind === token.kind ? [found.text] : []
    })
    return other([...new Set(alike)], 'expected')
  }
  if (token.kind === 'symbol' && comparisons.includes(token.text === '!=' ? '<>' : token.text))
    return other(isOfNames(entry, at) ? ['=', '<>'] : comparisons, 'operator')
  if (
    token.kind === 'symbol' &&
    ['+', '-', '*', '/'].includes(token.text) &&
    entry.tokens[at - 1]?.text !== '('
  )
    return other(['+', '-', '*', '/'], 'operator')
  if (token.kind !== 'word') return []
  switch (token.value) {
    case 'AND':
      return isBound(entry, at) ? [] : other([like(token, 'or')], 'operator')
    case 'OR':
      return other([like(token, 'and')], 'operator')
    case 'ASC':
      return other([like(token, 'desc')], 'operator')
    case 'DESC':
      return other([like(token, 'asc')], 'operator')
    case 'LEFT':
      return entry.tokens[at + 1]?.text === '(' ? [] : other([like(token, 'inner')], 'operator')
    case 'INNER':
      return other([like(token, 'left')], 'operator')
    case 'UNION':
      return []
  }
  if (entry.tokens[at + 1]?.text !== '(') return []
  const called = token.value.toLowerCase()
  if (aggregates.includes(called))
    return other(
      aggregates.map((name) => like(token, name)),
      'operator',
    )
  return other(
    functionsOf(expected).map((name) => like(token, name)),
    'expected',
  )
}

/** Whether a sign compares with a text that is no day: the alphabet orders names by chance. */
function isOfNames({ tokens }: QueryText, at: number): boolean {
  return [tokens[at - 1], tokens[at + 1]].some(
    (token) => token?.kind === 'string' && !/^\d{4}-\d\d/u.test(token.value),
  )
}

/** Whether an AND belongs to a BETWEEN. */
function isBound({ tokens }: QueryText, at: number): boolean {
  for (let index = at - 1; index >= 0 && index > at - 12; index--) {
    const { kind, value, text } = tokens[index] ?? { kind: 'symbol', value: '', text: '' }
    if (kind === 'word' && value === 'BETWEEN') return true
    if (kind === 'word' && (value === 'AND' || value === 'OR' || value === 'WHERE')) return false
    if (text === ';') return false
  }
  return false
}

function functionsOf(expected: readonly QueryText[]): string[] {
  const names = expected.flatMap(({ tokens }) =>
    tokens.flatMap((token, at) =>
      token.kind === 'word' && tokens[at + 1]?.text === '(' ? [token.text] : [],
    ),
  )
  return [...new Set(names.map((name) => name.toLowerCase()))].filter(
    (name) =>
      !/^(?:in|and|or|not|exists|from|on|where|as|over|filter|using|by|when|then|join|values|select)$/u.test(
        name,
      ),
  )
}

function like({ text }: SqlToken, word: string): string {
  return text === text.toLowerCase() ? word.toLowerCase() : word.toUpperCase()
}

function replaced(
  { start, end, text }: SqlToken,
  by: string,
  evidence: TextEdit['evidence'],
  expected: readonly QueryText[],
): TextEdit {
  const having = expected.filter(({ tokens }) =>
    tokens.some((token) => token.text.toLowerCase() === by.toLowerCase()),
  )
  return {
    replacements: [{ start, end, text: by }],
    words: `has ${by} instead of ${text}`,
    title: `${text} should be ${by}`,
    evidence: having.length > 0 && /\w/u.test(by) ? 'expected' : evidence,
    support: having.length,
  }
}

/** Returns the edits that read another column: one that an expected query names, or one of the same table. */
function columnEdits(entry: QueryText, expected: readonly QueryText[]): TextEdit[] {
  return entry.scopes.flatMap((scope) =>
    columnsIn(entry.tokens, scope.select.range).flatMap((reference) => {
      const [first, last] = [entry.tokens[reference.range.from], entry.tokens[reference.range.to - 1]]
      const source = sourceOfColumn(reference, scope)
      if (first === undefined || last === undefined || source === undefined) return []
      const before = entry.text.slice(first.start, last.end)
      const named = new Map<string, number>()
      for (const query of expected)
        for (const text of new Set(columnsFor(query, scope))) named.set(text, (named.get(text) ?? 0) + 1)
      const known = [...(source.columns ?? [])].map((column) =>
        reference.qualifier === undefined ? column : `${before.slice(0, before.lastIndexOf('.'))}.${column}`,
      )
      const edit = (text: string, evidence: TextEdit['evidence'], support: number): TextEdit => ({
        replacements: [{ start: first.start, end: last.end, text }],
        words: `has ${text} instead of ${before}`,
        title: `${before} should be ${text}`,
        evidence,
        support,
      })
      const same = (text: string): boolean => text.toLowerCase() === before.toLowerCase()
      return [
        ...[...named].flatMap(([text, support]) => (same(text) ? [] : [edit(text, 'expected', support)])),
        ...known.flatMap((text) => (same(text) || named.has(text) ? [] : [edit(text, 'schema', 0)])),
      ]
    }),
  )
}

/** Returns the columns of an expected query as a SELECT of the entry would name them. */
function columnsFor(query: QueryText, target: SelectScope): string[] {
  return query.scopes.flatMap((scope) =>
    columnsIn(query.tokens, scope.select.range).flatMap(
      ({ range }) => carry(query, scope, range, target) ?? [],
    ),
  )
}

/** Returns the edits that read another table under the same name. */
function tableEdits(entry: QueryText, expected: readonly QueryText[]): TextEdit[] {
  const tables = new Map<string, number>()
  for (const { scopes } of expected)
    for (const table of new Set(
      scopes.flatMap(({ sources }) => sources.flatMap(({ table: name }) => name ?? [])),
    ))
      tables.set(table, (tables.get(table) ?? 0) + 1)
  return entry.scopes.flatMap(({ sources, select }) =>
    sources.flatMap(({ source, table, name }) => {
      const [first, last] = [entry.tokens[source.relation.from], entry.tokens[source.relation.to - 1]]
      if (table === undefined || first === undefined || last === undefined) return []
      return [...tables].flatMap(([other, support]) => {
        if (sources.some((one) => one.table === other)) return []
        const qualifiers =
          source.alias === undefined
            ? columnsIn(entry.tokens, select.range).flatMap(({ qualifier, range }) => {
                const token = entry.tokens[range.to - 3]
                return qualifier === name && token !== undefined ? [token] : []
              })
            : []
        const plain = other.slice(other.lastIndexOf('.') + 1)
        return [
          {
            replacements: [
              { start: first.start, end: last.end, text: other },
              ...qualifiers.map(({ start, end }) => ({ start, end, text: plain })),
            ],
            words: `reads ${other} instead of ${table}`,
            title: `table ${table} should be ${other}`,
            evidence: 'expected' as const,
            support,
          },
        ]
      })
    }),
  )
}
