import type { SqlToken } from '../../../../../sql/index.js'
import type { Clause, ClauseKind, Select } from '../../model/sql-clauses.js'
import type { TokenRange } from '../../model/token-ranges.js'
import { formatKeyword, indentAt, isAtLineStart, styleOf } from '../rules/sql-formatting-style.js'
import type { QueryText } from './query-scopes.js'
import type { Replacement } from './text-edit.js'

/** Returns the text of a range of tokens, as written. */
export function textOf({ text, tokens }: QueryText, { from, to }: TokenRange): string {
  const [first, last] = [tokens[from], tokens[to - 1]]
  return first === undefined || last === undefined ? '' : text.slice(first.start, last.end)
}

/** The clauses before which a new WHERE has to stand, and those before a new HAVING. */
const after: Readonly<Record<'where' | 'having' | 'qualify', readonly ClauseKind[]>> = {
  where: ['group', 'having', 'qualify', 'window', 'order', 'limit', 'offset', 'fetch'],
  having: ['qualify', 'window', 'order', 'limit', 'offset', 'fetch'],
  qualify: ['window', 'order', 'limit', 'offset', 'fetch'],
}

/** Adds a condition to a clause of a SELECT, laid out as its conditions are; makes the clause where there is none. */
export function addCondition(
  query: QueryText,
  select: Select,
  kind: 'where' | 'having' | 'qualify',
  condition: string,
): Replacement {
  const { text, tokens } = query
  const clause = select.clauses.get(kind)
  const style = styleOf(text, tokens)
  if (clause !== undefined) return appendTo(query, clause, condition)
  const next = after[kind].flatMap((each) => select.clauses.get(each) ?? []).at(0)
  const before = next === undefined ? select.range.to : Math.min(next.range.from, select.range.to)
  const end = tokens[before - 1]?.end ?? text.length
  const from = tokens[select.clauses.get('from')?.range.from ?? select.range.from]?.start ?? 0
  const isOnLine = isAtLineStart(text, from) && from > (tokens[select.range.from]?.start ?? 0)
  const gap = isOnLine ? `${style.lineBreak}${indentAt(text, from)}` : ' '
  return { start: end, end, text: `${gap}${formatKeyword(style, kind)} ${condition}` }
}

/** Appends a condition to an ON, WHERE, HAVING or QUALIFY. */
export function appendTo(query: QueryText, clause: Clause, condition: string): Replacement {
  const { text, tokens } = query
  const style = styleOf(text, tokens)
  const end = tokens[clause.body.to - 1]?.end ?? text.length
  const and = formatKeyword(style, 'AND')
  const [only] = clause.items
  const needsBrackets = clause.items.length === 1 && only !== undefined && hasTopLevelOr(tokens, only)
  const head = tokens[clause.range.from]?.start ?? 0
  const ownLines = clause.items.slice(1).flatMap(({ from }) => {
    const and = tokens[from - 1]
    return and !== undefined && isAtLineStart(text, and.start) ? [indentAt(text, and.start)] : []
  })
  const indent =
    ownLines.at(-1) ??
    (isAtLineStart(text, head) && clause.items.length === 1 ? `${indentAt(text, head)}  ` : undefined)
  const ownLine = indent === undefined ? ' ' : `${style.lineBreak}${indent}`
  if (needsBrackets) {
    const body = textOf(query, clause.body)
    return {
      start: tokens[clause.body.from]?.start ?? end,
      end,
      text: `(${body})${ownLine}${and} ${condition}`,
    }
  }
  return { start: end, end, text: `${ownLine}${and} ${condition}` }
}

function hasTopLevelOr(tokens: readonly SqlToken[], { from, to }: TokenRange): boolean {
  let depth = 0
  for (const token of tokens.slice(from, to)) {
    if (token.text === '(') depth++
    else if (token.text === ')') depth--
    else if (depth === 0 && token.kind === 'word' && token.value === 'OR') return true
  }
  return false
}

/** Removes a condition with its AND, or its whole clause if it is the only one. */
export function removeCondition(query: QueryText, clause: Clause, at: number): Replacement | undefined {
  const { text, tokens } = query
  const item = clause.items[at]
  if (item === undefined) return undefined
  if (clause.items.length === 1) {
    if (clause.kind === 'on') return undefined
    const start = tokens[clause.range.from - 1]?.end ?? 0
    return { start, end: tokens[clause.range.to - 1]?.end ?? text.length, text: '' }
  }
  if (at === 0) {
    const next = clause.items[1]
    return {
      start: tokens[item.from]?.start ?? 0,
      end: tokens[next?.from ?? item.to]?.start ?? 0,
      text: '',
    }
  }
  const previous = clause.items[at - 1]
  return {
    start: tokens[(previous?.to ?? item.from) - 1]?.end ?? 0,
    end: tokens[item.to - 1]?.end ?? 0,
    text: '',
  }
}
