import { literalPattern } from '../../text/literal-pattern.js'
import type { KnowledgeBase } from '../entry.js'
import { type Contradiction, contradictionAt, isNegated } from './contradiction.js'
import type { Remark } from './documentation-remarks.js'
import { findEqualities } from './equalities.js'
import { maskComments } from './mask-sql.js'

/** Column (folded, unqualified) → the strings that queries and notes compare it with. */
export type KnownValues = ReadonlyMap<string, ReadonlySet<string>>

export function knownValues(kb: KnowledgeBase): KnownValues {
  const known = new Map<string, Set<string>>()
  for (const { text } of [...kb.snippets.values(), ...kb.notes])
    for (const { column, value } of findEqualities(text))
      known.set(column, (known.get(column) ?? new Set<string>()).add(value))
  return known
}

/**
 * Reports a string that a comment or a title states for a column, if the query compares that only with
 * another one.
 */
export function findValueMismatches(remark: Remark, known: KnownValues): Contradiction[] {
  if (remark.from === 'note' || otherTimePattern.test(remark.text)) return []
  return remark.snippets.flatMap((snippet) => {
    const sql = maskComments(snippet.text)
    return findEqualities(sql).flatMap(({ column, value }): Contradiction[] => {
      const named = namedValues(column, known.get(column) ?? new Set(), remark)
      const other = named.find(({ text }) => text !== value && !sql.includes(`'${text}'`))
      if (other === undefined || named.some(({ text }) => text === value)) return []
      const says = `says "${other.said}", but the query has ${column} = '${value}'`
      return [contradictionAt(remark, remark.from === 'title' ? 0 : other.index, says)]
    })
  })
}

/** Matches past, future and conditional forms, which do not describe the present query. */
const otherTimePattern =
  /\b(?:was|were|until|used to|formerly|before|todo|fixme|once|will|would|not|no longer)\b/iu

interface NamedValue {
  readonly text: string
  readonly said: string
  readonly index: number
}

/** Finds values stated as a condition, in quotes, or, for a time zone, in prose: "local time". */
function namedValues(column: string, values: ReadonlySet<string>, { text }: Remark): NamedValue[] {
  const named: NamedValue[] = findEqualities(text)
    .filter((equality) => equality.column === column)
    .map(({ value, offset }) => ({ text: value, said: `${column} = '${value}'`, index: offset }))
  const isZone = /(?:^|_)(?:tz|zone|timezone)(?:_|$)/.test(column)
  for (const value of values) {
    const quoted = `['"\`]${literalPattern(value)}['"\`]`
    const spoken = `\\b${literalPattern(value)} (?:time|timezone|day|midnight)`
    const match = new RegExp(isZone ? `${quoted}|${spoken}` : quoted, 'i').exec(text)
    if (match !== null) named.push({ text: value, said: match[0], index: match.index })
  }
  return named.filter(({ index }) => !isNegated(text, index))
}

const bound = /\b(since|from|starting(?: on)?|until|up to|through) (\d{4}-\d{2}-\d{2})\b/gi
const dayMs = 86_400_000

/** Reports a first or last day that a comment states, if the query has another one as that bound. */
export function findBoundMismatches(remark: Remark): Contradiction[] {
  if (remark.from !== 'comment') return []
  return [...remark.text.matchAll(bound)].flatMap((match) => {
    const [, word = '', day = ''] = match
    if (isNegated(remark.text, match.index)) return []
    const side = /^(?:since|from|starting)/i.test(word) ? '>' : '<'
    return remark.snippets.flatMap(({ text }): Contradiction[] => {
      const days = [
        ...maskComments(text).matchAll(/([<>])=?\s*(?:date\s*|timestamp\s*)?'(\d{4}-\d{2}-\d{2})/gi),
      ]
        .filter(([, sign]) => sign === side)
        .map(([, , written = '']) => written)
      // The day before or after is the same bound, written with the other operator.
      if (days.length === 0 || days.some((written) => daysBetween(written, day) <= 1)) return []
      return [
        contradictionAt(remark, match.index, `says "${match[0]}", but the query has ${days.join(', ')}`),
      ]
    })
  })
}

function daysBetween(a: string, b: string): number {
  return Math.abs(Date.parse(a) - Date.parse(b)) / dayMs
}
