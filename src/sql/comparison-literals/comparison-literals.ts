import type { Dialect } from '../../enums/dialect.js'
import { normalize } from '../normalize/normalize.js'
import type { Expression, QueryShape } from '../shape/query-shape.js'
import { someExpression, someInQuery } from '../shape/rewrite-query.js'
import { plainName, type Schema, tableOf } from '../tables/table-schema.js'
import { type Sources, sourcesIn } from '../typing/query-sources.js'
import { evaluateConstantDate } from './constant-date.js'
import { listMembershipOf, nestedAccessOf } from './nested-access.js'

/** A literal and the column of a table that a query compares with it. */
export interface ComparedLiteral {
  /** Plain lower-case name of a table or view, qualified as in the schema. */
  readonly table: string
  readonly column: string
  /** Names that lead to it within JSON or a struct that the column holds. */
  readonly path?: readonly string[]
  /** Days and moments are texts. */
  readonly kind: 'text' | 'number'
  readonly text: string
  readonly role?: ComparedLiteralRole
}

/**
 * How a value is compared: as a bound of what matches, with a part of what the column holds, as its year, with what it
 * begins with, as a pattern of LIKE, with members of its list; else as it is. `padded`, `cased`, `negative` and `group` are
 * values beside those of the column: where one query alone cuts off spaces, passes over the letter case or asks for a
 * sign, and where a query shows the first of its groups.
 */
export type ComparedLiteralRole =
  | 'bound'
  | 'part'
  | 'prefix'
  | 'pattern'
  | 'member'
  | 'padded'
  | 'cased'
  | 'negative'
  | 'group'

const bounds: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', 'between'])
const comparisons: ReadonlySet<string> = new Set([
  ...['=', '<>', '<', '<=', '>', '>=', 'in', 'between', 'like', 'i_like'],
  ...['null_safe_eq', 'null_safe_neq'],
])

/** Calls whose value is compared in place of the column's, and is the column's own for some of its values. */
const transparent: ReadonlySet<string> = new Set(['cast', 'lower', 'upper', 'trim', 'coalesce'])

/** Calls that say something else of a text with spaces around it, of one in another letter case, or of a number below 0. */
const trims: ReadonlySet<string> = new Set(['trim', 'ltrim', 'rtrim'])
const casings: ReadonlySet<string> = new Set(['lower', 'upper', 'i_like'])
const signs: ReadonlySet<string> = new Set(['abs', 'sign'])

/** The literals that columns are compared with anywhere in a query; also for columns that have to equal those. */
export function collectComparedLiterals(
  query: QueryShape,
  dialect: Dialect,
  schema: Schema,
): readonly ComparedLiteral[] {
  const normal = normalize(query, dialect)
  const sources = sourcesIn(normal)
  const found: (Omit<ComparedLiteral, 'table' | 'column'> & { readonly column: string })[] = []
  const equal: (readonly [string, string])[] = []
  const columnOf = (expression: Expression): string | undefined => columnIn(expression, sources, schema)
  someInQuery(normal, (part) => {
    if (part.kind !== 'apply') return false
    found.push(...literalsImpliedByCall(part, columnOf, dialect))
    if (!comparisons.has(part.op)) return false
    const columns = part.args.flatMap((arg) => columnOf(arg) ?? [])
    const literals = part.args.flatMap((arg) => literalIn(arg, part.op) ?? [])
    // A default for NULL in a comparison is usually a value that the column never holds.
    const defaults = new Set(part.args.flatMap(coalesceDefaults))
    const values = literals.filter(({ text }) => !defaults.has(text))
    const add = (column: string, more: Pick<ComparedLiteral, 'role' | 'path'>): void => {
      for (const value of values) found.push({ column, ...value, ...more })
    }
    const role = bounds.has(part.op) ? { role: 'bound' as const } : {}
    for (const column of columns) add(column, role)
    const inside = part.args.flatMap((arg) => nestedAccessOf(arg) ?? [])
    for (const { whole, path } of inside) {
      const column = columnOf(whole)
      if (column !== undefined) add(column, { ...role, path })
    }
    for (const column of columns)
      for (const text of patternsOf(part)) found.push({ column, kind: 'text', text, role: 'pattern' })
    const isStart = isPrefixTest(part)
    const isPart = columns.length === 0 && inside.length === 0
    const within = isPart ? part.args.flatMap((arg) => onlyColumnIn(arg, sources, schema)) : []
    if (isStart) for (const column of [...columns, ...within]) add(column, { role: 'prefix' })
    else for (const column of within) add(column, { role: 'part' })
    const [one, other] = columns
    if (part.op === '=' && one !== undefined && other !== undefined) equal.push([one, other])
    return false
  })
  for (const expression of limitedGroups(normal)) {
    const column = columnOf(expression)
    if (column !== undefined) found.push({ column, kind: 'text', text: '', role: 'group' })
  }
  const all = found.flatMap(({ column, ...value }) =>
    [...equivalentColumns(column, equal)].map((name): ComparedLiteral => {
      const [table = '', plain = ''] = name.split('\0')
      return { table, column: plain, ...value }
    }),
  )
  return [...new Map(all.map((value) => [JSON.stringify(value), value])).values()]
}

type Call = Extract<Expression, { kind: 'apply' }>

/** Values that a call, which is no comparison, asks for. */
function literalsImpliedByCall(
  call: Call,
  columnOf: (expression: Expression) => string | undefined,
  dialect: Dialect,
): Omit<ComparedLiteral, 'table'>[] {
  const member = listMembershipOf(call)
  if (member !== undefined) {
    const column = columnOf(member.list)
    const value = literalIn(member.value, '=')
    return column === undefined || value === undefined ? [] : [{ column, ...value, role: 'member' }]
  }
  const [first] = call.args
  const column = first === undefined ? undefined : columnOf(first)
  if (column === undefined) return []
  if (trims.has(call.op)) return [{ column, kind: 'text', text: '', role: 'padded' }]
  if (casings.has(call.op)) return [{ column, kind: 'text', text: '', role: 'cased' }]
  // LIKE of SQLite passes over the letter case.
  if (call.op === 'like' && dialect === 'sqlite')
    return call.args.flatMap((arg) =>
      arg.kind === 'literal' && arg.type === 'text'
        ? [{ column, kind: 'text' as const, text: arg.value.replaceAll('%', ''), role: 'cased' as const }]
        : [],
    )
  return signs.has(call.op) ? [{ column, kind: 'number', text: '0', role: 'bound' }] : []
}

/** Returns the grouping expressions of a query that shows only the first groups. */
function limitedGroups(query: QueryShape): readonly Expression[] {
  return query.kind === 'select' && query.limit !== undefined ? query.groupBy : []
}

/** Patterns of LIKE that say what a text ends with or has in it. */
function patternsOf({ op, args }: Call): string[] {
  if (!op.endsWith('like')) return []
  return args.flatMap((arg) =>
    arg.kind === 'literal' && arg.type === 'text' && /^%[^\\]*[^%_\\]/u.test(arg.value) ? [arg.value] : [],
  )
}

/** The column of a table that an expression shows, as `table\0column`. */
function columnIn(expression: Expression, sources: Sources, schema: Schema): string | undefined {
  if (expression.kind === 'apply') {
    const [inner] = expression.args
    return inner !== undefined && transparent.has(expression.op)
      ? columnIn(inner, sources, schema)
      : undefined
  }
  if (expression.kind !== 'column' || expression.source === undefined) return undefined
  const behind = sources.outputOf(expression)
  if (behind !== undefined) return columnIn(behind, sources, schema)
  const name = sources.tables.get(expression.source)
  const table = name === undefined ? undefined : tableOf(schema, name)
  const column = plainName(expression.name)
  return table?.columns.has(column) === true ? `${plainName(table.name)}\0${column}` : undefined
}

/** The one column that an expression reads, if there is one. */
function onlyColumnIn(expression: Expression, sources: Sources, schema: Schema): readonly string[] {
  const found = new Set<string>()
  someExpression(expression, (part) => {
    const column = part.kind === 'column' ? columnIn(part, sources, schema) : undefined
    if (column !== undefined) found.add(column)
    return false
  })
  return found.size === 1 ? [...found] : []
}

/** Whether a comparison asks what a column begins with: `LIKE 'A%'`, `left(code, 1) = 'A'`. */
function isPrefixTest({ op, args }: Call): boolean {
  return args.some((arg) => {
    if (op.endsWith('like')) return arg.kind === 'literal' && /^[^%_]+%$/u.test(arg.value)
    if (arg.kind !== 'apply') return false
    const start = arg.args[1]
    const isFirst = start?.kind === 'literal' && start.value === '1'
    return arg.op === 'left' || (/^substr(?:ing)?$/u.test(arg.op) && isFirst)
  })
}

/** The literals that a value falls back on where it is NULL. */
function coalesceDefaults(expression: Expression): readonly string[] {
  if (expression.kind !== 'apply' || !transparent.has(expression.op)) return []
  const [inner, ...others] = expression.args
  const own = expression.op === 'coalesce' ? others.flatMap((arg) => literalIn(arg, '=')?.text ?? []) : []
  return inner === undefined ? own : [...own, ...coalesceDefaults(inner)]
}

function literalIn(expression: Expression, op: string): Pick<ComparedLiteral, 'kind' | 'text'> | undefined {
  if (expression.kind === 'apply' && expression.op === 'cast') {
    const [inner] = expression.args
    return inner === undefined ? undefined : literalIn(inner, op)
  }
  const day = evaluateConstantDate(expression)
  if (day !== undefined) return { kind: 'text', text: day }
  if (expression.kind !== 'literal') return undefined
  const { type, value: text } = expression
  if (type === 'number') return { kind: 'number', text }
  if (type !== 'text' && type !== 'date' && type !== 'timestamp') return undefined
  // The text around the wildcards matches the pattern itself.
  return { kind: 'text', text: op.endsWith('like') ? text.replaceAll(/[%_]/gu, '') : text }
}

function equivalentColumns(
  column: string,
  equal: readonly (readonly [string, string])[],
): ReadonlySet<string> {
  const all = new Set([column])
  for (const name of all) {
    for (const [one, other] of equal) {
      if (one === name) all.add(other)
      if (other === name) all.add(one)
    }
  }
  return all
}
