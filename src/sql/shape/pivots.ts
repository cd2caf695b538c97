import {
  type AstNode,
  type AstObject,
  asIdentifier,
  asList,
  asNode,
  asObject,
  semanticEntries,
} from './ast.js'
import { positionsByName, registerSource } from './from-nodes.js'
import { foldColumn, foldName } from './identifier-folding.js'
import { apply, type Expression, emptySelect, type FromNode, field, isStar, word } from './query-shape.js'
import type { ReadContext } from './read-context.js'
import { someExpression } from './rewrite-query.js'
import { nestedScope, type Scope, type Source } from './scope.js'
import { columnsOf, type Output, starWithout } from './stars.js'

type ReadItem = (value: unknown, scope: Scope, context: ReadContext) => FromNode

/** The columns that a pivot consumes, and those that it adds to the ones it passes on. */
interface Pivoted {
  readonly taken: readonly string[]
  readonly made: readonly Output[]
  readonly clause: (passed: readonly Expression[]) => Expression
}

/**
 * `t PIVOT (…) AS p` and `t UNPIVOT (…) AS p` as a derived table: what columns it passes on and makes is known where those
 * of t are. Undefined where the clause says more than is understood.
 */
export function readPivot(
  node: AstNode,
  scope: Scope,
  context: ReadContext,
  readItem: ReadItem,
): FromNode | undefined {
  const body = asObject(node.body) ?? {}
  const inner: Scope = { ...nestedScope(scope.parent), ctes: scope.ctes }
  const from = readItem(body['this'], inner, context)
  const [source, second] = inner.sources
  if (inner.opaque || source === undefined || second !== undefined || from.kind === 'join') return undefined
  const pivoted =
    node.tag === 'pivot' ? readColumnsMade(body, inner, context) : readRowsMade(body, inner, context)
  const showsNames = node.tag === 'unpivot' && context.dialect !== 'snowflake'
  if (pivoted === undefined || (showsNames && isSpelledOtherwise(pivoted.taken, body, scope)))
    return undefined
  const columns = passedOn(source, pivoted.taken)
  const outputs = [...columns, ...pivoted.made]
  const alias = asIdentifier(body['alias'])
  const label = alias === undefined ? source.label : foldName(alias, context.dialect)
  const names = outputs.map(({ name }) => name)
  const width = outputs.some(({ expression }) => isStar(expression)) ? undefined : outputs.length
  const id = registerSource(scope, context, label, undefined, positionsByName(names), width, undefined)
  const passed = columns.map(({ expression }) => expression)
  const query = {
    ...emptySelect,
    outputs: outputs.map(({ expression }) => expression),
    names,
    from,
    extras: [pivoted.clause(passed)],
  }
  return { kind: 'derived', id, query, alias: label || undefined, extras: [] }
}

function passedOn(source: Source, taken: readonly string[]): readonly Output[] {
  const columns = columnsOf(source)
  if (columns !== undefined) return columns.filter(({ name }) => name === undefined || !taken.includes(name))
  const star: Expression = { kind: 'column', source: source.id, name: '*' }
  return [{ expression: starWithout(star, [...taken].sort()), name: undefined }]
}

const unpivotParts: ReadonlySet<string> = new Set([
  ...['this', 'alias', 'value_column', 'name_column', 'columns', 'include_nulls'],
])

/** `UNPIVOT (value FOR name IN (a, b))`: a row for each of the columns, with its name and its value. */
function readRowsMade(body: AstObject, inner: Scope, context: ReadContext): Pivoted | undefined {
  const [value, name] = [asIdentifier(body['value_column']), asIdentifier(body['name_column'])]
  if (semanticEntries(body, unpivotParts).length > 0 || value === undefined || name === undefined)
    return undefined
  const written = asList(body['columns'])
  const columns = written.map((column) => context.expression(column, inner))
  const names = columns.flatMap((column) =>
    column.kind === 'column' && column.source !== undefined ? [column.name] : [],
  )
  if (columns.length === 0 || names.length < columns.length) return undefined
  // Snowflake's names are what they fold to; elsewhere they are shown as they are spelled.
  const rows = columns.map((column, at) =>
    apply('list', word(context.dialect === 'snowflake' ? (names[at] ?? '') : spelling(written[at])), column),
  )
  const made = [
    { expression: apply('unpivoted name'), name: foldColumn(name, context.dialect) },
    { expression: apply('unpivoted value'), name: foldColumn(value, context.dialect) },
  ]
  const label = body['include_nulls'] === true ? 'unpivot with nulls' : 'unpivot'
  return { taken: names, made, clause: () => field(label, ...rows) }
}

/** The name as it is written, which the rows may show. */
function spelling(column: unknown): string {
  return asIdentifier(asObject(asNode(column)?.body)?.['name'])?.name ?? ''
}

/** Whether a query in sight spells one of the names in other letter case: the rows show one of the spellings. */
function isSpelledOtherwise(names: readonly string[], body: AstObject, scope: Scope): boolean {
  const texts = [JSON.stringify(body)]
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent)
    for (const cte of at.ctes.values()) texts.push(JSON.stringify(cte.body))
  const bare = new Set(names.map((name) => name.replaceAll('"', '').toLowerCase()))
  const spelled = new Map<string, string>()
  for (const [, word = ''] of texts.join(' ').matchAll(/"name":"((?:[^"\\]|\\.)*)"/gu)) {
    const key = word.toLowerCase()
    if (!bare.has(key)) continue
    if ((spelled.get(key) ?? word) !== word) return true
    spelled.set(key, word)
  }
  return false
}

const pivotParts: ReadonlySet<string> = new Set(['this', 'alias', 'expressions', 'fields'])

/** `PIVOT (sum(v) FOR k IN ('a' AS a, 'b' AS b))`: a column for each value, a row for each group of the others. */
function readColumnsMade(body: AstObject, inner: Scope, context: ReadContext): Pivoted | undefined {
  const [total, ...more] = asList(body['expressions'])
  const [written, ...others] = asList(body['fields'])
  if (semanticEntries(body, pivotParts).length > 0 || more.length > 0 || others.length > 0) return undefined
  const choice = asNode(written)
  const parts = asObject(choice?.body) ?? {}
  if (choice?.tag !== 'in' || semanticEntries(parts, new Set(['this', 'expressions'])).length > 0)
    return undefined
  if (total === undefined || asNode(total)?.tag === 'alias') return undefined
  const aggregate = context.expression(total, inner)
  const key = context.expression(parts['this'], inner)
  const chosen = asList(parts['expressions']).map((value) => namedValue(value, inner, context))
  const values = chosen.map(({ value }) => value)
  const taken = namesIn([aggregate, key])
  if (taken === undefined || values.length === 0) return undefined
  const named = chosen.flatMap(({ value, name }): readonly Output[] =>
    name === undefined ? [] : [{ expression: apply('pivoted value', value), name }],
  )
  const all = { expression: apply('star', apply('pivoted values', ...values)), name: undefined }
  const clause = (passed: readonly Expression[]): Expression =>
    field('pivot', aggregate, key, ...values, field('groups', ...passed))
  return { taken, made: named.length === values.length ? named : [all], clause }
}

/** `'a' AS a`; in DuckDB `'a'` alone names its column too, elsewhere it is not said how. */
function namedValue(
  value: unknown,
  inner: Scope,
  context: ReadContext,
): { readonly value: Expression; readonly name: string | undefined } {
  const node = asNode(value)
  const body = asObject(node?.body) ?? {}
  if (node?.tag === 'pivot_alias') {
    const alias = asIdentifier(asObject(asNode(body['alias'])?.body)?.['name']) ?? asIdentifier(body['alias'])
    return {
      value: context.expression(body['this'], inner),
      name: alias === undefined ? undefined : foldColumn(alias, context.dialect),
    }
  }
  const given = context.expression(value, inner)
  const isName = given.kind === 'literal' && given.type === 'text' && context.dialect === 'duckdb'
  const name = isName ? foldColumn({ name: given.value, quoted: true }, context.dialect) : undefined
  return { value: given, name }
}

/** The columns that are read; undefined where one is not bound. */
function namesIn(expressions: readonly Expression[]): readonly string[] | undefined {
  const names = new Set<string>()
  let isBound = true
  for (const expression of expressions)
    someExpression(expression, (part) => {
      if (part.kind === 'query' || (part.kind === 'column' && part.source === undefined)) isBound = false
      if (part.kind === 'column') names.add(part.name)
      return false
    })
  return isBound ? [...names] : undefined
}
