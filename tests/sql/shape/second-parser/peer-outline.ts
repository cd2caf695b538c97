import library from 'node-sql-parser'
import type { Dialect } from '../../../../src/enums/dialect.js'
import { aggregates, type Outline, sorted } from './query-outline.js'
import { lastPart, literalText } from './shape-outline.js'

type Node = Readonly<Record<string, unknown>>

/** Names of node-sql-parser for the dialects that it has a grammar for. */
const databases: Partial<Record<Dialect, string>> = {
  sqlite: 'sqlite',
  postgres: 'postgresql',
  duckdb: 'postgresql',
  mysql: 'mysql',
  trino: 'trino',
  bigquery: 'bigquery',
  snowflake: 'snowflake',
}

export interface PeerReading {
  readonly outline: Outline
  /** Names that the query gives itself: a column of that name may be either. */
  readonly aliases: ReadonlySet<string>
}

const parser = new library.Parser()

/** The outline of a query as node-sql-parser sees it; undefined where it does not read one query there. */
export function peerOutline(sql: string, dialect: Dialect): PeerReading | undefined {
  const database = databases[dialect]
  if (database === undefined) return undefined
  let tree: unknown
  try {
    tree = parser.astify(sql.replace(/;\s*$/u, ''), { database })
  } catch {
    return undefined
  }
  const statements = Array.isArray(tree) ? tree : [tree]
  const [only] = statements
  return statements.length === 1 && isNode(only) && only['type'] === 'select'
    ? outlineOf(only, dialect)
    : undefined
}

class Collector {
  readonly tables: string[] = []
  readonly columns: string[] = []
  readonly literals: string[] = []
  readonly aggregates: string[] = []
  readonly joins: string[] = []
  readonly sets: string[] = []
  readonly aliases = new Set<string>()
  readonly withNames = new Set<string>()

  readonly #textInDoubleQuotes: boolean

  constructor(textInDoubleQuotes: boolean) {
    this.#textInDoubleQuotes = textInDoubleQuotes
  }

  visit(node: unknown): void {
    if (Array.isArray(node)) {
      for (const item of node) this.visit(item)
      return
    }
    if (!isNode(node)) return
    this.note(node)
    for (const [key, value] of Object.entries(node)) {
      // The parts of a name are wrapped like literals.
      if (node['type'] === 'column_ref' && key !== 'subscript') continue
      if (key === 'as') continue
      // Sizes of types, limits, and what the library gathered itself.
      if (['tableList', 'columnList', 'limit', 'target', 'definition', 'dataType'].includes(key)) continue
      if (key === 'groupby' || key === 'orderby') this.visit(withoutPositions(value))
      else this.visit(value)
    }
  }

  private note(node: Node): void {
    const { type } = node
    if (typeof node['table'] === 'string' && node['table'] !== '' && type !== 'column_ref')
      this.tables.push(lastPart(node['table']))
    if (typeof node['join'] === 'string') {
      const outer = /LEFT|RIGHT|FULL/u.exec(node['join'])?.[0]
      if (outer !== undefined) this.joins.push(outer.toLowerCase())
    }
    const alias = textOf(node['as'])
    if (alias !== undefined) this.aliases.add(alias.toLowerCase())
    if (typeof node['set_op'] === 'string')
      this.sets.push(node['set_op'].replace(' distinct', '').toLowerCase())
    if (type === 'column_ref') {
      const name = textOf(node['column'])
      if (name !== undefined && name !== '*') this.columns.push(name.toLowerCase())
    }
    if (type === 'aggr_func' || type === 'function') {
      const name = textOf(node['name'])?.toLowerCase()
      if (name !== undefined && aggregates.has(name)) this.aggregates.push(name)
    }
    // Everywhere else a name, which the library takes for a text.
    if (type === 'double_quote_string' && !this.#textInDoubleQuotes)
      this.columns.push(String(node['value']).toLowerCase())
    else if (type === 'number' || type === 'bigint' || isText(type)) {
      // The bound of a window's frame is one text with its direction.
      this.literals.push(literalText(String(node['value']).replace(/ (PRECEDING|FOLLOWING)$/iu, '')))
    }
    if (Array.isArray(node['using'])) {
      for (const name of node['using']) this.columns.push(textOf(name)?.toLowerCase() ?? '')
    }
    if (Array.isArray(node['with'])) {
      for (const one of node['with']) {
        const name = isNode(one) ? textOf(one['name']) : undefined
        if (name !== undefined) this.withNames.add(name.toLowerCase())
      }
    }
  }
}

function outlineOf(root: Node, dialect: Dialect): PeerReading {
  const found = new Collector(['mysql', 'bigquery', 'sqlite'].includes(dialect))
  found.visit(root)
  // Operands of set operations hang on each other; order and limit of the whole are with one of them.
  const operands: Node[] = []
  for (let at: unknown = root; isNode(at); at = at['_next']) operands.push(at)
  const whole = operands.find(
    (operand) => operand['_orderby'] !== undefined || operand['_limit'] !== undefined,
  )
  const last = operands.at(-1) ?? root
  const orderBy = (whole?.['_orderby'] ?? last['orderby']) as readonly Node[] | null | undefined
  const limit = (whole?.['_limit'] ?? last['limit']) as Node | null | undefined
  const columns = root['columns']
  const bounds = isNode(limit) && Array.isArray(limit['value']) ? (limit['value'] as readonly Node[]) : []
  // MySQL's LIMIT offset, count.
  const [count, offset] = limit?.['seperator'] === ',' ? [bounds[1], bounds[0]] : [bounds[0], bounds[1]]
  const onlyOffset = limit?.['seperator'] === 'offset' && bounds.length === 1
  const groupBy = root['groupby']
  return {
    aliases: found.aliases,
    outline: {
      tables: sorted(found.tables.filter((table) => table !== '' && !found.withNames.has(table))),
      columns: sorted(found.columns.filter((column) => !found.withNames.has(column))),
      literals: sorted(found.literals),
      aggregates: sorted(found.aggregates),
      joins: sorted(found.joins),
      sets: sorted(found.sets),
      outputs: !Array.isArray(columns) || columns.some(isStarColumn) ? 'star' : columns.length,
      distinct: isNode(root['distinct'])
        ? root['distinct']['type'] === 'DISTINCT'
        : root['distinct'] === 'DISTINCT',
      groupBy: isNode(groupBy) ? Array.isArray(groupBy['columns']) && groupBy['columns'].length > 0 : false,
      having: isNode(root['having']) || (Array.isArray(root['having']) && root['having'].length > 0),
      orderBy: (orderBy ?? []).map((item) => item['type'] === 'DESC'),
      limit: onlyOffset ? undefined : boundText(count),
      offset: boundText(onlyOffset ? bounds[0] : offset),
    },
  }
}

function boundText(bound: Node | undefined): string | undefined {
  if (bound === undefined) return undefined
  return bound['type'] === 'number' ? String(bound['value']) : 'expression'
}

function isStarColumn(column: unknown): boolean {
  const expression = isNode(column) ? column['expr'] : undefined
  return (
    column === '*' ||
    (isNode(expression) && expression['type'] === 'column_ref' && textOf(expression['column']) === '*')
  )
}

/** GROUP BY and ORDER BY without items that are positions. */
function withoutPositions(clause: unknown): unknown {
  const isPosition = (item: unknown): boolean =>
    isNode(item) && (item['type'] === 'number' || (isNode(item['expr']) && item['expr']['type'] === 'number'))
  if (Array.isArray(clause)) return clause.filter((item) => !isPosition(item))
  if (isNode(clause) && Array.isArray(clause['columns'])) {
    return { ...clause, columns: clause['columns'].filter((item) => !isPosition(item)) }
  }
  return clause
}

function isText(type: unknown): boolean {
  return typeof type === 'string' && /string|^(date|time|timestamp|datetime)$/u.test(type)
}

/** The text of a name, however deep the library wraps it. */
function textOf(name: unknown): string | undefined {
  if (typeof name === 'string') return name
  if (Array.isArray(name)) return textOf(name.at(-1))
  if (!isNode(name)) return undefined
  return textOf(name['value']) ?? textOf(name['expr']) ?? textOf(name['name'])
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
