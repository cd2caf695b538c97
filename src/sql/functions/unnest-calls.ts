import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression } from '../shape/query-shape.js'

/** A row for each element of a list, whatever the elements are. */
const unnestOneLevel = 'unnest'
/** As `unnest`, but the fields of records are columns of their own. */
const unnestedFields = 'unnest of lists or records'
/** As `unnest`, but the elements of lists in a list, and the fields of records, are opened too. */
const unnestedAll = 'unnest of lists of lists'

const calls: Partial<Record<Dialect, readonly [name: string, meaning: string]>> = {
  duckdb: ['unnest', unnestOneLevel],
  bigquery: ['unnest', unnestOneLevel],
  spark: ['explode', unnestOneLevel],
  trino: ['unnest', unnestedFields],
  presto: ['unnest', unnestedFields],
  postgres: ['unnest', unnestedAll],
}

/** The rows of one list in words that dialects share; undefined where it is no such call, or numbers its rows. */
export function toUnnest(call: Expression & { kind: 'apply' }, dialect: Dialect): Expression | undefined {
  const [name, meaning] = calls[dialect] ?? []
  const [list, ...others] = call.args
  const isPlain =
    list !== undefined && others.length === 0 && !(list.kind === 'apply' && list.op.startsWith('field:'))
  return call.op === name && meaning !== undefined && isPlain ? apply(meaning, list) : undefined
}

/** As engines write such types, and as the parser does. */
const plainLists = [
  /^(?:\w*int\w*|varchar|char|text|string|date|double|float\w*|real|bool(?:ean)?|timestamp)(?:\(\d+\))?\[\]$/u,
  /^array\(element_type=\{"data_type":"(?:\w*int|var_char|char|text|string|date|double|float|real|boolean|timestamp)"/u,
]

const textLists: ReadonlySet<string> = new Set(['string_split', 'string_split_regex'])

/**
 * The rows of a list of plain values, which are the same however records and lists in it are opened; undefined for others.
 *
 * @param typeOf the declared type of a column; undefined where it is not known
 * @param assumePlain assumes that a column holds lists of plain values
 */
export function unnestScalarList(
  call: Expression & { kind: 'apply' },
  typeOf: (column: Expression & { kind: 'column' }) => string | undefined,
  assumePlain: (column: Expression & { kind: 'column' }) => boolean,
): Expression | undefined {
  if (call.op !== unnestedFields && call.op !== unnestedAll) return undefined
  const [list] = call.args
  if (list === undefined) return undefined
  return isPlain(list) ? apply(unnestOneLevel, list) : undefined

  function isPlain(value: Expression): boolean {
    if (value.kind === 'column') {
      const type = typeOf(value)
      // PostgreSQL's types do not tell how deep a list is.
      if (type !== undefined && call.op === unnestedFields && plainLists.some((known) => known.test(type)))
        return true
      return (type === undefined || /\[\]$|^array/u.test(type)) && assumePlain(value)
    }
    if (value.kind !== 'apply') return false
    return (
      textLists.has(value.op) || (value.op === 'array' && value.args.every((item) => item.kind === 'literal'))
    )
  }
}
