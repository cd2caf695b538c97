import type { Dialect } from '../../enums/dialect.js'
import { type AstObject, asIdentifier, asList, asText, bodyOf } from './ast.js'
import { foldColumn } from './identifier-folding.js'
import {
  apply,
  type Expression,
  emptySelect,
  field,
  firstSelect,
  isStar,
  type QueryShape,
  word,
} from './query-shape.js'
import type { ReadContext } from './read-context.js'

/** Which columns a set operation by name has: those of both sides, of the left one, of either. */
type Mode = 'inner' | 'left' | 'full' | 'strict'

/** Dialects in which BY NAME without more words fills what one side lacks with NULL. */
const fillsMissingColumns: ReadonlySet<Dialect> = new Set(['duckdb', 'snowflake'])

/** The parts of a set operation that say how columns are matched. */
export const matchingParts: ReadonlySet<string> = new Set([
  'by_name',
  'corresponding',
  'strict',
  'side',
  'kind',
  'on_columns',
])

export function isByName(body: AstObject): boolean {
  return body['by_name'] === true || body['corresponding'] === true
}

/**
 * The operands of a set operation that matches columns by name (BY NAME, CORRESPONDING), with the same columns in one
 * order: the left one's, then what only the right one has. Undefined where names are not known or the dialect refuses.
 */
export function alignByName(
  body: AstObject,
  operands: readonly QueryShape[],
  context: ReadContext,
): readonly QueryShape[] | undefined {
  const [left, right] = operands.map(columnNames)
  const mode = modeOf(body, context.dialect)
  if (left === undefined || right === undefined || mode === undefined) return undefined
  const listed = asList(body['on_columns']).map((item) => asIdentifier(bodyOf(item, 'column')?.['name']))
  const wanted = listed.flatMap((name) => (name === undefined ? [] : foldColumn(name, context.dialect)))
  if (wanted.length !== listed.length) return undefined
  const names = chosen(mode, left, right, wanted)
  return names && operands.map((operand) => withColumns(operand, names, context))
}

/** BigQuery's CORRESPONDING is INNER … BY NAME, and BY NAME alone is STRICT CORRESPONDING. */
function modeOf(body: AstObject, dialect: Dialect): Mode | undefined {
  const [side, kind] = [asText(body['side']), asText(body['kind'])]
  if (side === 'FULL' || side === 'LEFT')
    return kind === 'INNER' ? undefined : side === 'FULL' ? 'full' : 'left'
  if (side !== undefined) return undefined
  if (body['strict'] === true) return 'strict'
  if (kind === 'INNER') return 'inner'
  if (kind !== undefined) return undefined
  return body['corresponding'] === true ? 'inner' : fillsMissingColumns.has(dialect) ? 'full' : 'strict'
}

function chosen(
  mode: Mode,
  left: readonly string[],
  right: readonly string[],
  wanted: readonly string[],
): readonly string[] | undefined {
  const isShared = (name: string): boolean => left.includes(name) && right.includes(name)
  const has: Record<Mode, (name: string) => boolean> = {
    inner: isShared,
    strict: isShared,
    left: (name) => left.includes(name),
    full: (name) => left.includes(name) || right.includes(name),
  }
  if (wanted.length > 0) return wanted.every(has[mode]) ? wanted : undefined
  if (mode === 'strict' && left.length !== right.length) return undefined
  const all = [...left, ...right.filter((name) => !left.includes(name))]
  const names = all.filter(has[mode])
  return names.length === 0 || (mode === 'strict' && names.length < left.length) ? undefined : names
}

/** Names of all columns in order; undefined where one has none, or two have the same. */
function columnNames(query: QueryShape): readonly string[] | undefined {
  const first = firstSelect(query)
  if (first === undefined || first.outputs.some(isStar)) return undefined
  const names = first.names.flatMap((name) => name ?? [])
  return names.length === first.outputs.length && new Set(names).size === names.length ? names : undefined
}

/** The query with these columns in this order, NULL for those that it has not. */
function withColumns(query: QueryShape, names: readonly string[], context: ReadContext): QueryShape {
  const own = columnNames(query) ?? []
  if (names.length === own.length && names.every((name, at) => name === own[at])) return query
  const keepsAll = own.every((name) => names.includes(name))
  if (query.kind === 'select' && (keepsAll || !query.distinct))
    return {
      ...query,
      names,
      outputs: names.map((name) => query.outputs[own.indexOf(name)] ?? apply('null')),
    }
  const id = context.nextSource()
  const column = (name: string): Expression =>
    own.includes(name) ? { kind: 'column', source: id, name, output: own.indexOf(name) } : apply('null')
  return {
    ...emptySelect,
    positional: true,
    names,
    outputs: names.map(column),
    from: { kind: 'derived', id, query, alias: undefined, extras: [] },
  }
}

/** Where columns are matched by names that are not all known, those of the first columns say something. */
export function columnNameFields(operands: readonly QueryShape[]): readonly Expression[] {
  return operands.map((operand) =>
    field('names', ...(firstSelect(operand)?.names ?? []).map((name) => word(name ?? ''))),
  )
}
