// Faults of a snippet, at every place where they apply.
import { conjunctsOf } from '../conjuncts.js'

const aggregates = ['sum', 'avg', 'min', 'max']
const keywords = new Set(
  'SELECT FROM WHERE AND OR NOT IN IS NULL AS ON JOIN LEFT INNER GROUP BY ORDER DESC ASC LIMIT HAVING WITH DISTINCT BETWEEN CASE WHEN THEN ELSE END DATE TRUE FALSE OVER UNION ALL CAST VARCHAR'.split(
    ' ',
  ),
)

/**
 * Every fault of every class: `{class, what, text}`.
 *
 * @param literals what a placeholder may be hard-coded to
 */
export function* snippetFaults(text, tokens, catalogue, literals = {}) {
  const splice = (from, to, by) => text.slice(0, from) + by + text.slice(to)
  const swap = (number, index, by, last = index) => ({
    class: number,
    what: `${text.slice(tokens[index].start, tokens[last].end)} → ${by || 'nothing'}`,
    text: splice(tokens[index].start, tokens[last].end, by),
  })
  const word = (index) => (tokens[index]?.kind === 'word' ? tokens[index].value : tokens[index]?.text)
  const tables = tablesOf(text, tokens, catalogue)
  const columnAt = (index) => {
    const token = tokens[index]
    if (
      token?.kind !== 'word' ||
      keywords.has(token.value) ||
      word(index + 1) === '(' ||
      word(index + 1) === '.'
    )
      return undefined
    if (word(index - 1) === 'AS' || word(index - 1) === 'FROM' || word(index - 1) === 'JOIN') return undefined
    const owner = word(index - 1) === '.' ? tokens[index - 2].text.toLowerCase() : undefined
    for (const table of tables) {
      if (owner !== undefined && table.alias !== owner) continue
      const column = table.columns.find((one) => one.name.toLowerCase() === token.text.toLowerCase())
      if (column !== undefined) return { column, table }
    }
    return undefined
  }
  const conjuncts = [...conjunctsOf(tokens)]
  const filtered = new Set(conjuncts.flatMap(({ from, to }) => range(from, to)))

  for (const table of tables) {
    yield swap(1, table.from, `${table.name}_v0`, table.to)
    const others = catalogue.filter(({ name }) => name !== table.name)
    const shared = (other) =>
      other.columns.filter((one) => table.columns.some((own) => own.name === one.name)).length
    const [closest] = others.sort((a, b) => shared(b) - shared(a))
    if (closest !== undefined && shared(closest) > 1) yield swap(1, table.from, closest.name, table.to)
  }
  for (const [index, token] of tokens.entries()) {
    const found = columnAt(index)
    if (found !== undefined) {
      const { column, table } = found
      const isTime = /DATE|TIMESTAMP/.test(column.type)
      const isId = /_id$/.test(column.name)
      yield swap(2, index, `${token.text}_old`)
      const siblings = table.columns.filter((one) => one.name !== column.name && one.type === column.type)
      for (const sibling of siblings.slice(0, 3)) yield swap(isTime ? 13 : isId ? 10 : 3, index, sibling.name)
      if (isId) {
        for (const other of table.columns.filter((one) => /_id$/.test(one.name) && one.name !== column.name))
          if (other.type !== column.type) yield swap(10, index, other.name)
      }
      if (
        !filtered.has(index) &&
        /INT|DOUBLE|DECIMAL|FLOAT|REAL/.test(column.type) &&
        word(index - 1) === '('
      ) {
        const owner = word(index - 1) === '.' ? index - 2 : index
        yield swap(9, owner, `coalesce(${token.text}, 0)`, index)
      }
    }
    if (token.kind === 'string' && token.value.length > 2) {
      yield swap(6, index, `'${token.value.slice(0, -1)}'`)
      if (token.value === 'local') yield swap(6, index, "'regional'")
    }
    if (token.kind === 'number' && /^\d+$/.test(token.text)) {
      const place = /^(BY|,)$/.test(word(index - 1) ?? '') && !filtered.has(index)
      if (!place || text.slice(0, token.start).lastIndexOf('(') > text.slice(0, token.start).lastIndexOf(')'))
        yield swap(6, index, String(Number(token.text) + 1))
    }
    if (word(index) === 'TRUE') yield swap(6, index, 'FALSE')
    if (word(index) === 'FALSE') yield swap(6, index, 'TRUE')
    if (word(index) === 'NOT') yield swap(7, index, '')
    if (word(index) === 'OR') yield swap(7, index, 'AND')
    if (word(index + 1) === '(' && aggregates.includes(token.text.toLowerCase()))
      for (const other of aggregates.filter((one) => one !== token.text.toLowerCase()).slice(0, 2))
        yield swap(8, index, other)
    if (word(index) === 'DISTINCT') yield swap(8, index, '')
    if (token.value === 'COUNT' && word(index + 1) === '(' && columnAt(index + 2) !== undefined)
      yield swap(8, index + 1, '(DISTINCT ')
    if (token.kind === 'string' && token.value === 'month') {
      yield swap(8, index, "'year'")
      yield swap(8, index, "'day'")
    }
    if (token.value === 'COALESCE' && word(index + 1) === '(') {
      const comma = tokens.findIndex((one, at) => at > index && one.text === ',')
      const inner = text.slice(tokens[index + 2].start, tokens[comma - 1].end)
      yield swap(9, index, inner, comma + 2)
    }
    if (word(index) === 'IS' && word(index + 1) === 'NULL') yield swap(9, index, 'IS NOT NULL', index + 1)
    if (word(index) === 'LEFT' && word(index + 1) === 'JOIN') yield swap(10, index, '')
    if (word(index) === 'JOIN' && word(index - 1) !== 'LEFT') yield swap(10, index, 'LEFT JOIN')
    if (token.text === '/' && tokens[index + 1]?.text === '100.0') yield swap(15, index, '', index + 1)
    if (token.text === '100.0' && word(index + 1) === '*') yield swap(15, index, '', index + 1)
    if (token.text === '*' && tokens[index + 1]?.text === '1.0') yield swap(15, index, '', index + 1)
    if (token.kind === 'placeholder') {
      for (const literal of literals[token.value] ?? []) yield swap(19, index, literal)
    }
    if (token.value === 'period.end_exclusive' && tokens[index - 1]?.text === '<') {
      yield swap(14, index - 1, '<= {{ period.end }}', index)
      yield swap(14, index - 1, '<= {{ period.end_exclusive }}', index)
      yield swap(14, index - 1, '< {{ period.end }}', index)
    }
    if (token.value === 'period.start' && tokens[index - 1]?.text === '>=')
      yield swap(14, index - 1, '> {{ period.start }}', index)
    if (token.value === 'period.end' && word(index - 1) === 'AND' && word(index - 3) === 'BETWEEN') {
      const column = tokens[index - 4].text
      yield swap(14, index - 3, `>= {{ period.start }} AND ${column} < {{ period.end }}`, index)
    }
    if (token.text === '/' && word(index + 1) === 'SUM' && word(index - 1) === ')') {
      const open = text.slice(0, token.start).lastIndexOf('sum(')
      const left = tokens.findIndex((one) => one.start === open)
      const close = tokens.findIndex((one, at) => at > index + 2 && one.text === ')')
      const [above, below] = [
        text.slice(open + 4, tokens[index - 1].start),
        text.slice(tokens[index + 2].end, tokens[close].start),
      ]
      if (left >= 0) yield swap(12, left, `avg(${above} / ${below})`, close)
    }
  }
  for (const table of tables.filter(({ from }) => tokens[from - 1]?.value === 'FROM')) {
    const end = table.alias === undefined ? table.to : table.to + 1
    for (const other of catalogue) {
      const key = other.columns.find(
        ({ name }) => /_id$/i.test(name) && table.columns.some((own) => own.name === name),
      )
      if (other.name === table.name || key === undefined) continue
      const at = tokens[end].end
      const join = ` JOIN (SELECT ${key.name} FROM ${other.name}) more USING (${key.name})`
      yield { class: 11, what: `joined with ${other.name}`, text: splice(at, at, join) }
      break
    }
  }
  for (const { from, to, label, remove, and } of conjuncts) {
    yield { class: 4, what: `without ${label}`, text: splice(remove[0], remove[1], '') }
    if (and !== undefined) yield { ...swap(7, and, 'OR'), what: `AND → OR before ${label}` }
    const scope = range(from, to)
      .map(columnAt)
      .find((found) => found !== undefined)
    if (scope !== undefined && !label.includes('period.')) {
      const flags = scope.table.columns.filter(
        (one) => one.type === 'BOOLEAN' && !label.toLowerCase().includes(one.name.toLowerCase()),
      )
      const prefix = scope.table.alias === undefined || !label.includes('.') ? '' : `${scope.table.alias}.`
      for (const flag of flags.slice(0, 2))
        yield {
          class: 5,
          what: `${label} → ${prefix}${flag.name}`,
          text: splice(tokens[from].start, tokens[to - 1].end, `${prefix}${flag.name}`),
        }
    }
  }
}

/** Tables of a query with their alias, place and columns. */
function tablesOf(text, tokens, catalogue) {
  return tokens.flatMap((token, index) => {
    if (token.value !== 'FROM' && token.value !== 'JOIN') return []
    let to = index + 1
    while (tokens[to + 1]?.text === '.') to += 2
    if (tokens[index + 1]?.kind !== 'word') return []
    const name = text.slice(tokens[index + 1].start, tokens[to].end)
    const table = catalogue.find((one) => one.name.toLowerCase() === name.toLowerCase())
    const next = tokens[to + 1]
    const alias = next?.kind === 'word' && !keywords.has(next.value) ? next.text.toLowerCase() : undefined
    return table === undefined ? [] : [{ from: index + 1, to, name, alias, columns: table.columns }]
  })
}

function range(from, to) {
  return Array.from({ length: to - from }, (_, index) => from + index)
}
