import {
  type AstObject,
  asIdentifier,
  asList,
  asNode,
  asObject,
  asText,
  bodyOf,
  semanticEntries,
} from './ast.js'
import { keepUnmodelled, positionsByName, readCall, registerSource } from './from-nodes.js'
import { foldColumn, foldName } from './identifier-folding.js'
import type { FromNode } from './query-shape.js'
import type { ReadContext } from './read-context.js'
import { isSource, type Scope } from './scope.js'
import { readValue } from './unmodelled-nodes.js'

/**
 * BigQuery's `UNNEST(array) AS x WITH OFFSET AS y`: the elements as a column x, or their fields as columns, and the
 * place of each. Undefined where nothing of the kind is written.
 */
export function readUnnest(body: AstObject, scope: Scope, context: ReadContext): FromNode | undefined {
  if (context.dialect !== 'bigquery') return undefined
  const alias = asIdentifier(body['alias'])
  const fields = fieldsOf(body['this'])
  if (alias === undefined && fields === undefined) return undefined
  const label = alias === undefined ? '' : foldName(alias, context.dialect)
  const element = alias === undefined ? [] : [foldColumn(alias, context.dialect)]
  const isNumbered = body['with_ordinality'] === true
  const place = asIdentifier(body['offset_alias']) ?? { name: 'offset', quoted: false }
  const bare = { unnest: { ...body, alias: null, offset_alias: null } }
  const call = readValue(bare, scope, context)
  const names = [
    ...(fields?.map((name) => foldColumn({ name, quoted: false }, context.dialect)) ?? element),
    ...(isNumbered ? [foldColumn(place, context.dialect)] : []),
  ]
  const isListed = fields !== undefined || isOfScalars(body['this'])
  const width = isListed ? names.length : undefined
  const id = registerSource(scope, context, label, undefined, positionsByName(names), width, undefined)
  return { kind: 'function', id, call, extras: [] }
}

/** BigQuery's `FROM t, t.items AS i`: the elements of a column of a table before. */
export function readArrayPath(body: AstObject, scope: Scope, context: ReadContext): FromNode | undefined {
  if (context.dialect !== 'bigquery') return undefined
  const parts = ['catalog', 'schema', 'name'].flatMap((key) => asIdentifier(body[key]) ?? [])
  const [table, column, ...fields] = parts
  if (table === undefined || column === undefined || parts.some(({ name }) => name.includes('.')))
    return undefined
  if (!isSource(scope, foldName(table, context.dialect))) return undefined
  const rest = semanticEntries(body, new Set(['catalog', 'schema', 'name', 'alias']))
  if (rest.length > 0) return keepUnmodelled(readValue({ table: body }, scope, context), scope, context)
  const path = fields.reduce<unknown>((inner, field) => ({ dot: { this: inner, field } }), {
    column: { table, name: column },
  })
  const alias = asIdentifier(body['alias']) ?? parts.at(-1)
  return readUnnest({ this: path, alias }, scope, context) ?? readCall(path, [], [], scope, context)
}

/** The fields of the records of an array, where its type is written. */
function fieldsOf(array: unknown): readonly string[] | undefined {
  const element = elementType(array)
  if (element?.['data_type'] !== 'struct') return undefined
  const names = asList(element['fields']).flatMap((field) => asText(asObject(field)?.['name']) ?? [])
  return names.length > 0 && names.length === asList(element['fields']).length && !names.includes('')
    ? names
    : undefined
}

function elementType(array: unknown): AstObject | undefined {
  return asObject(asObject(bodyOf(unwrapArray(array), 'cast')?.['to'])?.['element_type'])
}

/** The array that a subquery of one value gives. */
function unwrapArray(array: unknown): unknown {
  const node = asNode(array)
  const body = asObject(node?.body)
  if (node?.tag === 'paren' || node?.tag === 'subquery' || node?.tag === 'alias')
    return unwrapArray(body?.['this'])
  const outputs = node?.tag === 'select' && body?.['from'] == null ? asList(body?.['expressions']) : []
  return outputs.length === 1 ? unwrapArray(outputs[0]) : array
}

/** Whether the elements are surely no records, so that they make one column. */
function isOfScalars(array: unknown): boolean {
  const type = elementType(array)
  if (type !== undefined) return type['data_type'] !== 'struct'
  const node = asNode(array)
  const items = asList(asObject(node?.body)?.['expressions'])
  const isList = node?.tag === 'array_func' || node?.tag === 'array'
  return isList && items.length > 0 && items.every((item) => asNode(item)?.tag === 'literal')
}
