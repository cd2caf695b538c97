import type { Dialect } from '../../enums/dialect.js'
import type { Expression, QueryShape } from '../shape/query-shape.js'
import { someInQuery } from '../shape/rewrite-query.js'
import { sourcesIn } from './query-sources.js'
import { strictlyTyped } from './strictly-typed.js'

const none: ReadonlySet<string> = new Set()

/** Calls that take dates and times only, where a dialect does not read texts as such. */
const partsOfTimes: ReadonlySet<string> = new Set([
  'year',
  'quarter',
  'month',
  'day',
  'date_trunc',
  'format_time',
])

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=', 'between'])

/** Columns, as `table.name`, that a query could not use as it does if they held other than dates and times. */
export function inferTemporalColumns(query: QueryShape, dialect: Dialect): ReadonlySet<string> {
  if (!strictlyTyped.has(dialect)) return none
  const found = new Set<string>()
  const { tables } = sourcesIn(query)
  someInQuery(query, (part) => {
    if (part.kind !== 'apply') return false
    if (!partsOfTimes.has(part.op) && !(comparisons.has(part.op) && part.args.some(isDate))) return false
    for (const column of part.args) {
      if (column.kind !== 'column' || column.source === undefined || column.output !== undefined) continue
      const table = tables.get(column.source)
      if (table !== undefined) found.add(`${table}.${column.name}`)
    }
    return false
  })
  return found
}

function isDate(value: Expression): boolean {
  if (value.kind === 'literal') return value.type === 'date'
  if (value.kind !== 'apply') return false
  const [, type] = value.args
  return (
    value.op === 'current_date' || (value.op === 'cast' && type?.kind === 'literal' && type.value === 'date')
  )
}
