import { formatKeyword, indentAt, isAtLineStart, styleOf } from '../rules/sql-formatting-style.js'
import type { Atoms, JoinAtom } from './atoms.js'
import { carry } from './carry.js'
import { additions } from './condition-edits.js'
import { replacementsIn } from './expression-edits.js'
import { textOf } from './format-conditions.js'
import type { QueryText, ScopeSource, SelectScope } from './query-scopes.js'
import type { Replacement, TextEdit } from './text-edit.js'

/** A join of an expected query as a SELECT of the entry would have it. */
interface NewJoin {
  readonly replacement: Replacement
  readonly words: string
  readonly target: SelectScope
  readonly support: number
}

/** Returns the edits that add a join of the expected queries, or remove one. */
export function joinEdits(entry: QueryText, { joins }: Atoms): TextEdit[] {
  return entry.scopes.flatMap((scope) => [
    ...removals(entry, scope),
    ...newJoins(entry, scope, joins).map(({ replacement, words, support }) => ({
      ...addition(words, support),
      replacements: [replacement],
    })),
  ])
}

/** Returns the edits that add a join together with an expression or a condition that reads it. */
export function joinedEdits(entry: QueryText, atoms: Atoms): TextEdit[] {
  return entry.scopes.flatMap((scope) =>
    newJoins(entry, scope, atoms.joins).flatMap(({ replacement, words, target, support }) => {
      const known = new Set(
        [
          ...replacementsIn(entry, scope, scope, atoms.expressions),
          ...additions(entry, scope, scope, atoms.conditions),
        ].map((edit) => JSON.stringify(edit.replacements)),
      )
      const using = [
        ...replacementsIn(entry, scope, target, atoms.expressions),
        ...additions(entry, scope, target, atoms.conditions),
      ].filter((edit) => !known.has(JSON.stringify(edit.replacements)))
      return using.map((edit) => ({
        ...edit,
        replacements: [replacement, ...edit.replacements],
        words: `adds ${words} and ${edit.words}`,
        title: `${words} was missing, and ${edit.title}`,
        support: Math.min(support, edit.support),
      }))
    }),
  )
}

function addition(words: string, support: number): Omit<TextEdit, 'replacements'> {
  return { words: `adds ${words}`, title: `${words} was missing`, evidence: 'expected', support }
}

function newJoins(entry: QueryText, scope: SelectScope, joins: readonly JoinAtom[]): NewJoin[] {
  const { tokens, text } = entry
  const { sources, select } = scope
  const from = select.clauses.get('from')
  if (from === undefined) return []
  const style = styleOf(text, tokens)
  const end = tokens[from.range.to - 1]?.end ?? text.length
  const at = tokens[sources[1]?.source.range.from ?? from.range.from]?.start ?? 0
  const gap = isAtLineStart(text, at) ? `${style.lineBreak}${indentAt(text, at)}` : ' '
  return joins.flatMap((atom): NewJoin[] => {
    const { query, scope: own, source, support } = atom
    if (source.table === undefined || sources.some(({ table }) => table === source.table)) return []
    const target = { ...scope, sources: [...sources, renamed(source, sources)] }
    const conditions = linksOf(atom).flatMap((range) => carry(query, own, range, target) ?? [])
    if (conditions.length === 0) return []
    const name = target.sources.at(-1)?.name ?? source.name
    const alias = name === source.table.slice(source.table.lastIndexOf('.') + 1) ? '' : ` ${name}`
    const kind = isOuter(atom) ? formatKeyword(style, 'LEFT JOIN') : formatKeyword(style, 'JOIN')
    const relation = textOf(query, source.source.relation)
    const on = conditions.join(` ${formatKeyword(style, 'AND')} `)
    const words = `${kind} ${relation}${alias} ${formatKeyword(style, 'ON')} ${on}`
    return [{ replacement: { start: end, end, text: `${gap}${words}` }, words, target, support }]
  })
}

/** Gives a relation a name that none of the others has. */
function renamed(source: ScopeSource, sources: readonly ScopeSource[]): ScopeSource {
  const taken = new Set(sources.map(({ name }) => name))
  if (!taken.has(source.name)) return source
  const plain = source.table?.slice(source.table.lastIndexOf('.') + 1) ?? source.name
  return { ...source, name: taken.has(plain) ? `${plain}_2` : plain }
}

function isOuter({ query: { tokens }, source: { source } }: JoinAtom): boolean {
  return tokens.slice(source.join.from, source.join.to).some(({ value }) => value === 'LEFT')
}

/** Returns the conditions that link a relation to others, in its ON, in that of another, or in WHERE. */
function linksOf({ scope, source, query: { tokens } }: JoinAtom) {
  if (source.source.on !== undefined) return source.source.on.items
  const conditions = [
    ...(scope.select.clauses.get('where')?.items ?? []),
    ...scope.sources.flatMap(({ source: { on } }) => on?.items ?? []),
  ]
  return conditions.filter(({ from, to }) => {
    const qualifiers = new Set(
      tokens
        .slice(from, to)
        .flatMap((token, at) => (tokens[from + at + 1]?.text === '.' ? [token.value.toLowerCase()] : [])),
    )
    return (
      qualifiers.size > 1 &&
      qualifiers.has(source.name) &&
      tokens.slice(from, to).some(({ text }) => text === '=')
    )
  })
}

function removals(entry: QueryText, { sources }: SelectScope): TextEdit[] {
  const { tokens } = entry
  return sources.slice(1).map(({ source }) => {
    const start = tokens[source.range.from - 1]?.end ?? 0
    const words = textOf(entry, source.range).replaceAll(/\s+/gu, ' ')
    return {
      replacements: [{ start, end: tokens[source.range.to - 1]?.end ?? start, text: '' }],
      words: `removes ${words}`,
      title: `${words} was extra`,
      evidence: 'operator',
      support: 0,
    }
  })
}
