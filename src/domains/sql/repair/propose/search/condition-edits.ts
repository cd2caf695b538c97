import { isWord, type TokenRange } from '../../model/token-ranges.js'
import { type Atoms, type ConditionAtom, innerConditions } from './atoms.js'
import { carry, columnsIn } from './carry.js'
import { addCondition, appendTo, removeCondition, textOf } from './format-conditions.js'
import type { QueryText, SelectScope } from './query-scopes.js'
import type { Replacement, TextEdit } from './text-edit.js'

/** Returns the edits that add, remove or replace one condition of an entry. */
export function conditionEdits(entry: QueryText, { conditions }: Atoms): TextEdit[] {
  return entry.scopes.flatMap((scope) => [
    ...additions(entry, scope, scope, conditions),
    ...removals(entry, scope),
    ...replacements(entry, scope, conditions),
  ])
}

/**
 * Adds each condition to a SELECT.
 *
 * @param target what the names of the conditions are resolved in
 */
export function additions(
  entry: QueryText,
  scope: SelectScope,
  target: SelectScope,
  conditions: readonly ConditionAtom[],
): TextEdit[] {
  const known = new Set(allConditions(entry, scope).map((range) => plain(textOf(entry, range))))
  return conditions.flatMap((atom) => {
    const text = carry(atom.query, atom.scope, atom.range, target)
    if (text === undefined || known.has(plain(text)) || scope.sources.length === 0) return []
    if (columnsIn(atom.query.tokens, atom.range).length === 0) return []
    const condition = bracketed(atom, text)
    // A condition beside one on the same columns may take that one back: to change it is the smaller repair.
    const isBeside = allConditions(entry, scope).some((range) => haveSameColumns(entry, range, atom))
    return placesFor(entry, scope, atom, condition).map((replacement) => ({
      replacements: [replacement],
      words: `adds the filter ${text}`,
      title: `filter ${text} was missing`,
      evidence: 'expected' as const,
      support: atom.support,
      ...(isBeside ? { isBeside: true as const } : {}),
    }))
  })
}

function haveSameColumns(
  entry: QueryText,
  range: TokenRange,
  { query, range: other }: ConditionAtom,
): boolean {
  const names = (of: QueryText, place: TokenRange): string =>
    [...new Set(columnsIn(of.tokens, place).map(({ column }) => column))].sort().join(' ')
  return names(entry, range) === names(query, other)
}

/** Brackets a condition that binds weaker than AND. */
function bracketed({ query: { tokens }, range }: ConditionAtom, text: string): string {
  let depth = 0
  for (let at = range.from; at < range.to; at++) {
    if (tokens[at]?.text === '(') depth++
    else if (tokens[at]?.text === ')') depth--
    else if (depth === 0 && isWord(tokens, at, 'OR')) return `(${text})`
  }
  return text
}

function placesFor(
  entry: QueryText,
  scope: SelectScope,
  { place }: ConditionAtom,
  condition: string,
): Replacement[] {
  const { select } = scope
  if (place === 'having' && (select.clauses.has('group') || select.clauses.has('having')))
    return [addCondition(entry, select, 'having', condition)]
  if (place === 'qualify') return [addCondition(entry, select, 'qualify', condition)]
  if (place === 'having') return []
  const joined = scope.sources.flatMap(({ source: { on, join } }) =>
    on !== undefined &&
    entry.tokens.slice(join.from, join.to).some(({ value }) => value === 'LEFT' || value === 'FULL')
      ? [appendTo(entry, on, condition)]
      : [],
  )
  const inside = innerPlaces(entry, scope, condition)
  return [addCondition(entry, select, 'where', condition), ...joined, ...inside]
}

/** Adds a condition to each FILTER and CASE of the outputs. */
function innerPlaces(entry: QueryText, { select }: SelectScope, condition: string): Replacement[] {
  const body = select.clauses.get('select')?.body
  if (body === undefined) return []
  const { tokens } = entry
  const ends = innerConditions(tokens, body).filter(
    ({ to }) => tokens[to]?.text === ')' || isWord(tokens, to, 'THEN'),
  )
  return ends.map(({ to }) => {
    const end = tokens[to - 1]?.end ?? 0
    return { start: end, end, text: ` AND ${condition}` }
  })
}

function removals(entry: QueryText, { select, sources }: SelectScope): TextEdit[] {
  const clauses = [
    ...(['where', 'having', 'qualify'] as const).flatMap((kind) => select.clauses.get(kind) ?? []),
    ...sources.flatMap(({ source: { on } }) => on ?? []),
  ]
  return clauses.flatMap((clause) =>
    clause.items.flatMap((range, at) => {
      const removed = removeCondition(entry, clause, at)
      const text = plain(textOf(entry, range))
      if (removed === undefined || text.includes('{{')) return []
      return [
        {
          replacements: [removed],
          words: `removes the filter ${text}`,
          title: `filter ${text} was extra`,
          evidence: 'operator' as const,
          support: 0,
        },
      ]
    }),
  )
}

function replacements(
  entry: QueryText,
  scope: SelectScope,
  conditions: readonly ConditionAtom[],
): TextEdit[] {
  return allConditions(entry, scope).flatMap((range) => {
    const before = textOf(entry, range)
    return conditions.flatMap((atom) => {
      const text = carry(atom.query, atom.scope, atom.range, scope)
      if (text === undefined || plain(text) === plain(before)) return []
      const [first, last] = [entry.tokens[range.from], entry.tokens[range.to - 1]]
      if (first === undefined || last === undefined) return []
      const isAlone = allConditions(entry, scope).length === 1
      return [
        {
          replacements: [{ start: first.start, end: last.end, text: isAlone ? text : bracketed(atom, text) }],
          words: `has ${text} instead of ${plain(before)}`,
          title: `${plain(before)} should be ${text}`,
          evidence: 'expected' as const,
          support: atom.support,
        },
      ]
    })
  })
}

/** Returns every condition of a SELECT, those of its joins, FILTER and CASE among them. */
function allConditions({ tokens }: QueryText, { select, sources }: SelectScope): TokenRange[] {
  return [
    ...(['where', 'having', 'qualify'] as const).flatMap((kind) => select.clauses.get(kind)?.items ?? []),
    ...sources.flatMap(({ source: { on } }) => on?.items ?? []),
    ...innerConditions(tokens, select.clauses.get('select')?.body ?? { from: 0, to: 0 }),
  ]
}

function plain(text: string): string {
  return text.replaceAll(/\s+/gu, ' ')
}
