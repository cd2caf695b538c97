import { isWord, type TokenRange } from '../../model/token-ranges.js'
import { formatKeyword, indentAt, isAtLineStart, styleOf } from '../rules/sql-formatting-style.js'
import type { Atom, Atoms } from './atoms.js'
import { carry } from './carry.js'
import { closingBracket, isCallAt, listMembers } from './expressions.js'
import { textOf } from './format-conditions.js'
import type { QueryText, SelectScope } from './query-scopes.js'
import type { Replacement, TextEdit } from './text-edit.js'

/** Returns the edits of grouping, order, limit, DISTINCT and of what calls are given of an entry. */
export function clauseEdits(entry: QueryText, atoms: Atoms): TextEdit[] {
  return entry.scopes.flatMap((scope) => [
    ...callEdits(entry, scope),
    ...distinctEdits(entry, scope),
    ...listEdits(entry, scope, 'group', atoms.groups),
    ...listEdits(entry, scope, 'order', atoms.orders),
    ...limitEdits(entry, scope, atoms.limits),
  ])
}

const plain = (text: string): string => text.replaceAll(/\s+/gu, ' ')

function replacementOf({ tokens }: QueryText, { from, to }: TokenRange, text: string): Replacement {
  return { start: tokens[from]?.start ?? 0, end: tokens[to - 1]?.end ?? 0, text }
}

function instead(entry: QueryText, range: TokenRange, text: string, support: number): TextEdit {
  const before = plain(textOf(entry, range))
  return {
    replacements: [replacementOf(entry, range, text)],
    words: `has ${text} instead of ${before}`,
    title: `${before} should be ${text}`,
    evidence: 'expected',
    support,
  }
}

/** Carries atoms into a SELECT; what it has already is left out. */
function carried(
  atoms: readonly Atom[],
  scope: SelectScope,
  known: ReadonlySet<string>,
): { text: string; support: number }[] {
  return atoms.flatMap(({ query, scope: own, range, support }) => {
    const text = carry(query, own, range, scope)
    return text === undefined || known.has(plain(text).toLowerCase()) ? [] : [{ text, support }]
  })
}

/** Edits of the calls in a SELECT. */
function callEdits(entry: QueryText, { select }: SelectScope): TextEdit[] {
  const { from, to } = select.range
  const calls = Array.from({ length: to - from }, (_, at) => from + at).filter((at) =>
    isCallAt(entry.tokens, at),
  )
  return calls.flatMap((at) => argumentEdits(entry, at, closingBracket(entry.tokens, at + 1)))
}

/** Edits of what a call is given: DISTINCT, a default for NULL, nothing around it. */
function argumentEdits(entry: QueryText, at: number, end: number): TextEdit[] {
  const { tokens } = entry
  const name = tokens[at]?.text ?? ''
  const inner = { from: at + 2, to: end }
  if (inner.to <= inner.from) return []
  const style = styleOf(entry.text, tokens)
  const argument = plain(textOf(entry, inner))
  const operator = (replacements: readonly Replacement[], words: string, title: string): TextEdit => ({
    replacements,
    words,
    title,
    evidence: 'operator',
    support: 0,
  })
  const edits: TextEdit[] = []
  if (/^(?:count|sum|avg)$/iu.test(name) && argument !== '*') {
    const start = tokens[at + 2]?.start ?? 0
    if (isWord(tokens, at + 2, 'DISTINCT'))
      edits.push(
        operator(
          [{ start, end: tokens[at + 3]?.start ?? start, text: '' }],
          `removes DISTINCT from ${name}`,
          `DISTINCT in ${name} was extra`,
        ),
      )
    else {
      const distinct = formatKeyword(style, 'DISTINCT')
      edits.push(
        operator(
          [{ start, end: start, text: `${distinct} ` }],
          `adds DISTINCT to ${name}`,
          `DISTINCT in ${name} was missing`,
        ),
      )
    }
  }
  if (/^(?:sum|avg|min|max)$/iu.test(name) && !/^coalesce/iu.test(argument)) {
    const text = `${style.lowerFunctions ? 'coalesce' : 'COALESCE'}(${argument}, 0)`
    edits.push(
      operator(
        [replacementOf(entry, inner, text)],
        `has ${text} instead of ${argument}`,
        `${argument} should be ${text}`,
      ),
    )
  }
  if (/^(?:coalesce|ifnull|nullif|lower|upper|trim|abs|round|date)$/iu.test(name)) {
    const [first] = listMembers(tokens, inner)
    const range = { from: at, to: end + 1 }
    if (first !== undefined) {
      const text = plain(textOf(entry, first))
      const before = plain(textOf(entry, range))
      edits.push(
        operator(
          [replacementOf(entry, range, text)],
          `has ${text} instead of ${before}`,
          `${before} should be ${text}`,
        ),
      )
    }
  }
  return edits
}

function distinctEdits(entry: QueryText, { select }: SelectScope): TextEdit[] {
  const { tokens } = entry
  const head = tokens[select.range.from]
  if (head === undefined) return []
  const operator = { evidence: 'operator', support: 0 } as const
  if (select.distinct !== undefined) {
    const [word, next] = [tokens[select.distinct.from], tokens[select.distinct.to]]
    if (word === undefined || next === undefined) return []
    return [
      {
        replacements: [{ start: word.start, end: next.start, text: '' }],
        words: 'removes DISTINCT',
        title: 'DISTINCT was extra',
        ...operator,
      },
    ]
  }
  const distinct = formatKeyword(styleOf(entry.text, tokens), 'DISTINCT')
  return [
    {
      replacements: [{ start: head.end, end: head.end, text: ` ${distinct}` }],
      words: 'adds DISTINCT',
      title: 'DISTINCT was missing',
      ...operator,
    },
  ]
}

/** Adds, removes and replaces members of GROUP BY or ORDER BY. */
function listEdits(
  entry: QueryText,
  scope: SelectScope,
  kind: 'group' | 'order',
  atoms: readonly Atom[],
): TextEdit[] {
  const { tokens, text } = entry
  const { select, query, isOutermost } = scope
  const clause = select.clauses.get(kind) ?? query.tail.get(kind)
  const words = kind === 'group' ? 'GROUP BY' : 'ORDER BY'
  const items = clause?.items ?? []
  const known = new Set(items.map((item) => plain(textOf(entry, item)).toLowerCase()))
  const found = carried(atoms, scope, known)
  const style = styleOf(text, tokens)
  const edits: TextEdit[] = items.flatMap((item) =>
    found.map((one) => instead(entry, item, one.text, one.support)),
  )
  const last = items.at(-1)
  if (last !== undefined) {
    const end = tokens[last.to - 1]?.end ?? 0
    edits.push(
      ...found.map((one) => ({
        replacements: [{ start: end, end, text: `, ${one.text}` }],
        words: `adds ${one.text} to ${words}`,
        title: `${one.text} was missing in ${words}`,
        evidence: 'expected' as const,
        support: one.support,
      })),
    )
    for (const [at, item] of items.entries()) {
      const [previous, next] = [items[at - 1], items[at + 1]]
      if (items.length === 1) continue
      const start = at === 0 ? tokens[item.from]?.start : tokens[(previous?.to ?? item.from) - 1]?.end
      const stop = at === 0 ? tokens[next?.from ?? item.to]?.start : tokens[item.to - 1]?.end
      edits.push({
        replacements: [{ start: start ?? 0, end: stop ?? 0, text: '' }],
        words: `removes ${plain(textOf(entry, item))} from ${words}`,
        title: `${plain(textOf(entry, item))} was extra in ${words}`,
        evidence: 'operator',
        support: 0,
      })
    }
    return edits
  }
  if (!isOutermost && kind === 'order') return edits
  const before =
    kind === 'group'
      ? (['having', 'qualify', 'window', 'order', 'limit', 'offset', 'fetch'] as const)
      : (['limit', 'offset', 'fetch'] as const)
  const next = before.flatMap((each) => select.clauses.get(each) ?? query.tail.get(each) ?? []).at(0)
  const end =
    tokens[(next?.range.from ?? (kind === 'order' ? query.range.to : select.range.to)) - 1]?.end ??
    text.length
  const from = tokens[select.clauses.get('from')?.range.from ?? select.range.from]?.start ?? 0
  const gap =
    isAtLineStart(text, from) && from > (tokens[select.range.from]?.start ?? 0)
      ? `${style.lineBreak}${indentAt(text, from)}`
      : ' '
  return found.map((one) => ({
    replacements: [{ start: end, end, text: `${gap}${formatKeyword(style, words)} ${one.text}` }],
    words: `adds ${words} ${one.text}`,
    title: `${words} ${one.text} was missing`,
    evidence: 'expected',
    support: one.support,
  }))
}

function limitEdits(entry: QueryText, scope: SelectScope, limits: readonly Atom[]): TextEdit[] {
  const { tokens, text } = entry
  const { select, query, isOutermost } = scope
  const clause = select.clauses.get('limit') ?? query.tail.get('limit')
  const texts = limits.map(({ query: own, range, support }) => ({ text: plain(textOf(own, range)), support }))
  if (clause !== undefined) {
    const start = tokens[clause.range.from - 1]?.end ?? 0
    const removed: TextEdit = {
      replacements: [{ start, end: tokens[clause.range.to - 1]?.end ?? text.length, text: '' }],
      words: `removes ${plain(textOf(entry, clause.range))}`,
      title: `${plain(textOf(entry, clause.range))} was extra`,
      evidence: 'operator',
      support: 0,
    }
    return [removed, ...texts.map((one) => instead(entry, clause.body, one.text, one.support))]
  }
  if (!isOutermost) return []
  const style = styleOf(text, tokens)
  const end = tokens[query.range.to - 1]?.end ?? text.length
  const from = tokens[select.clauses.get('from')?.range.from ?? select.range.from]?.start ?? 0
  const gap = isAtLineStart(text, from) ? `${style.lineBreak}${indentAt(text, from)}` : ' '
  return texts.map((one) => ({
    replacements: [{ start: end, end, text: `${gap}${formatKeyword(style, 'LIMIT')} ${one.text}` }],
    words: `adds LIMIT ${one.text}`,
    title: `LIMIT ${one.text} was missing`,
    evidence: 'expected',
    support: one.support,
  }))
}
