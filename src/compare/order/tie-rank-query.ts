import type { SelectShape, SqlToken } from '../../sql/index.js'
import { isOrderBy, outermostWords, splitByCommas } from './outermost-order-by.js'

/** Keywords that may follow the keys of the outermost ORDER BY. */
const orderByTerminators: ReadonlySet<string> = new Set(['LIMIT', 'OFFSET', 'FETCH', 'FOR'])
const directions: ReadonlySet<string> = new Set(['ASC', 'DESC', 'NULLS'])

/**
 * Returns the query with one more column at the end: the rank of each row in its outermost ORDER BY, equal
 * where rows tie, so that the engine also returns it for keys that are not in the output. Undefined if a key
 * may have another meaning in a window than in ORDER BY.
 */
export function addTieRanks(
  sql: string,
  tokens: readonly SqlToken[],
  shape: SelectShape,
): string | undefined {
  const words = outermostWords(tokens)
  const selects = words.filter(({ token }) => token.value === 'SELECT')
  const from = words.find(
    ({ token, at }) =>
      token.value === 'FROM' && at > (selects[0]?.at ?? at) && tokens[at - 1]?.value !== 'DISTINCT',
  )
  const order = words.findLast(({ at }) => isOrderBy(tokens, at))
  const [select] = selects
  if (select === undefined || selects.length > 1 || from === undefined || order === undefined)
    return undefined
  const end = words.find(({ token, at }) => at > order.at && orderByTerminators.has(token.value))?.at
  const last = tokens.at(-1)?.text === ';' ? tokens.length - 1 : tokens.length
  const outputs = outputsOf(tokens.slice(select.at + 1, from.at), shape)
  if (outputs === undefined) return undefined
  const keys = splitByCommas(tokens.slice(order.at + 2, end ?? last)).map((key) => keyText(sql, key, outputs))
  if (keys.length === 0 || !keys.every((key) => key !== undefined)) return undefined
  const before = sql.slice(0, tokens[from.at - 1]?.end)
  return `${before}, dense_rank() OVER (ORDER BY ${keys.join(', ')}) AS tie_rank ${sql.slice(from.token.start)}`
}

/** An output column as written, without its alias. */
interface Output {
  readonly name: string | undefined
  readonly tokens: readonly SqlToken[]
  /** Whether its name is the column's own. */
  readonly isColumn: boolean
}

/** Returns the outputs; undefined if a star is beside other columns; a star alone needs no list. */
function outputsOf(
  list: readonly SqlToken[],
  { names, distinct }: SelectShape,
): readonly Output[] | undefined {
  const items = splitByCommas(distinct ? list.slice(1) : list)
  if (items.length === 1 && list.at(-1)?.text === '*') return []
  const isStarred = items.some((item) => item[0]?.text === '*' || item.at(-1)?.text === '*')
  if (items.length !== names.length || isStarred) return undefined
  return items.map((item, at) => {
    const name = names[at]?.toLowerCase()
    const named = item.length > 1 && nameOf(item.at(-1)) === name && item.at(-2)?.text !== '.'
    const withoutName = named ? item.slice(0, -1) : item
    const tokens = withoutName.at(-1)?.value === 'AS' ? withoutName.slice(0, -1) : withoutName
    const isColumn = !named || (tokens.length === 1 && nameOf(tokens[0]) === name)
    return { name, tokens, isColumn }
  })
}

function nameOf(token: SqlToken | undefined): string | undefined {
  return token?.kind === 'word' || token?.kind === 'quoted' ? token.value.toLowerCase() : undefined
}

/**
 * Returns a key of ORDER BY in the form for a window: there, positions and names of outputs have no meaning.
 */
function keyText(sql: string, key: readonly SqlToken[], outputs: readonly Output[]): string | undefined {
  const directed = key.findIndex(({ kind, value }) => kind === 'word' && directions.has(value))
  const body = directed < 0 ? key : key.slice(0, directed)
  const rest = directed < 0 ? '' : ` ${textOf(sql, key.slice(directed))}`
  const [first] = body
  if (first === undefined || first.value === 'ALL') return undefined
  const name = body.length === 1 ? nameOf(first) : undefined
  if (body.length === 1 && (first.kind === 'number' || name !== undefined)) {
    const output =
      name === undefined ? outputs[Number(first.text) - 1] : outputs.find((known) => known.name === name)
    if (output !== undefined) return `${textOf(sql, output.tokens)}${rest}`
    return name === undefined ? undefined : textOf(sql, key)
  }
  return mentionsAlias(body, outputs) ? undefined : textOf(sql, key)
}

/**
 * Reports whether a name in it may be that of an output: engines differ in its meaning within an expression.
 */
function mentionsAlias(body: readonly SqlToken[], outputs: readonly Output[]): boolean {
  const aliases = new Set(outputs.filter(({ isColumn }) => !isColumn).map(({ name }) => name))
  return body.some((token, at) => {
    const name = nameOf(token)
    const isQualified = body[at - 1]?.text === '.' || body[at + 1]?.text === '.'
    return name !== undefined && aliases.has(name) && !isQualified && body[at + 1]?.text !== '('
  })
}

function textOf(sql: string, tokens: readonly SqlToken[]): string {
  return sql.slice(tokens[0]?.start, tokens.at(-1)?.end)
}
