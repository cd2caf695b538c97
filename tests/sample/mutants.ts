/** Small wrong turns of one query: a lost condition, another aggregate, a neighbouring column. */
export interface Mutant {
  /** Unique in its query; equivalent-mutants.yaml names mutants by it. */
  readonly label: string
  readonly sql: string
}

/** Column name → type, by table as queries write it (`traffic.visits`). */
export type Tables = ReadonlyMap<string, ReadonlyMap<string, string>>

interface Token {
  readonly text: string
  readonly word: string
  readonly start: number
  readonly end: number
  readonly depth: number
}

const AGGREGATES = ['sum', 'avg', 'count', 'min', 'max']
const CLAUSE_ENDS = new Set(['where', 'group', 'having', 'order', 'limit', 'join', 'left', 'inner', 'cross'])

/** Every mutant of the query; a column is replaced one mention at a time, then in all its mentions at once. */
export function mutantsOf(sql: string, tables: Tables): Mutant[] {
  const tokens = tokenize(sql)
  return [
    ...droppedConjuncts(sql, tokens),
    ...swappedAggregates(sql, tokens),
    ...swappedColumns(sql, tokens, tables),
  ]
}

function tokenize(sql: string): Token[] {
  const tokens: Token[] = []
  let depth = 0
  for (const match of sql.matchAll(/'(?:[^']|'')*'|[A-Za-z_][A-Za-z_0-9]*|\d+(?:\.\d+)?|[<>!=]+|\S/g)) {
    const text = match[0]
    if (text === ')') depth -= 1
    tokens.push({ text, word: text.toLowerCase(), start: match.index, end: match.index + text.length, depth })
    if (text === '(') depth += 1
  }
  return tokens
}

function droppedConjuncts(sql: string, tokens: readonly Token[]): Mutant[] {
  return tokens.flatMap((token, at) =>
    ['where', 'having', 'on'].includes(token.word)
      ? conjuncts(tokens, at).map(([first, last]) => {
          const text = sql.slice(first.start, last.end).replaceAll(/\s+/g, ' ')
          return { label: `drop ${text}`, sql: `${sql.slice(0, first.start)}TRUE${sql.slice(last.end)}` }
        })
      : [],
  )
}

/** First and last token of each conjunct of the clause that opens at `at`. */
function conjuncts(tokens: readonly Token[], at: number): [Token, Token][] {
  const depth = tokens[at]?.depth ?? 0
  const found: [Token, Token][] = []
  let first: Token | undefined
  let last: Token | undefined
  let inBetween = false
  for (const token of tokens.slice(at + 1)) {
    const outer = token.depth === depth
    if (token.depth < depth || (outer && CLAUSE_ENDS.has(token.word))) break
    if (outer && token.word === 'and' && !inBetween) {
      if (first !== undefined && last !== undefined) found.push([first, last])
      first = undefined
      continue
    }
    if (outer && token.word === 'between') inBetween = true
    else if (outer && token.word === 'and') inBetween = false
    first ??= token
    last = token
  }
  if (first !== undefined && last !== undefined) found.push([first, last])
  return found
}

function swappedAggregates(sql: string, tokens: readonly Token[]): Mutant[] {
  const calls = [...tokens.entries()].filter(
    ([at, token]) => AGGREGATES.includes(token.word) && tokens[at + 1]?.text === '(',
  )
  return calls.flatMap(([at, token], index) => {
    const argument = tokens[at + 2]
    if (argument === undefined) return []
    const call = `aggregate ${index + 1} (${token.word})`
    const swaps = AGGREGATES.filter((name) => name !== token.word && argument.text !== '*').map((name) => ({
      label: `${call} to ${name}`,
      sql: sql.slice(0, token.start) + name + sql.slice(token.end),
    }))
    if (argument.word !== 'distinct') return swaps
    return [
      ...swaps,
      { label: `${call} without distinct`, sql: sql.slice(0, argument.start) + sql.slice(argument.end) },
    ]
  })
}

function swappedColumns(sql: string, tokens: readonly Token[], tables: Tables): Mutant[] {
  const mentions = columnMentions(tokens, tables)
  const groups = new Map<string, typeof mentions>()
  for (const mention of mentions) {
    const key = `${mention.table}.${mention.token.word}`
    groups.set(key, [...(groups.get(key) ?? []), mention])
  }
  return [...groups.values()].flatMap((group) =>
    siblings(group[0], tables).flatMap((sibling) => {
      const name = `${group[0]?.table}.${group[0]?.token.word} to ${sibling}`
      const each = group.map(({ token }, index) => ({
        label: `${name} in mention ${index + 1}`,
        sql: replaceAll(sql, [token], sibling),
      }))
      const all = {
        label: `${name} everywhere`,
        sql: replaceAll(
          sql,
          group.map(({ token }) => token),
          sibling,
        ),
      }
      return group.length > 1 ? [...each, all] : each
    }),
  )
}

function columnMentions(tokens: readonly Token[], tables: Tables): { token: Token; table: string }[] {
  const named = tablesByName(tokens, tables)
  return tokens.flatMap((token, at) => {
    const [previous, next] = [tokens[at - 1], tokens[at + 1]]
    if (next?.text === '(' || next?.text === '.' || previous?.word === 'as') return []
    const qualifier = previous?.text === '.' ? (tokens[at - 2]?.word ?? '') : undefined
    const candidates = qualifier === undefined ? [...named.values()] : [named.get(qualifier) ?? '']
    const table = candidates.find((name) => tables.get(name)?.has(token.word))
    return table === undefined ? [] : [{ token, table }]
  })
}

/** The tables that a query reads, by alias and by plain name. */
function tablesByName(tokens: readonly Token[], tables: Tables): Map<string, string> {
  const named = new Map<string, string>()
  for (const [at, token] of tokens.entries()) {
    const [dot, table, next, after] = tokens.slice(at + 1)
    const name = `${token.word}.${table?.word}`
    if (dot?.text !== '.' || table === undefined || !tables.has(name)) continue
    const alias = next?.word === 'as' ? after : next
    named.set(table.word, name)
    if (alias !== undefined && /^[a-z]\w*$/.test(alias.word)) named.set(alias.word, name)
  }
  return named
}

function siblings(mention: { token: Token; table: string } | undefined, tables: Tables): string[] {
  const columns = tables.get(mention?.table ?? '') ?? new Map<string, string>()
  const type = columns.get(mention?.token.word ?? '')
  return [...columns].flatMap(([name, other]) =>
    other === type && name !== mention?.token.word ? [name] : [],
  )
}

function replaceAll(sql: string, places: readonly Token[], by: string): string {
  return places
    .toReversed()
    .reduce((text, { start, end }) => text.slice(0, start) + by + text.slice(end), sql)
}
