import type { Expression } from '../shape/query-shape.js'
import type { Sources } from './query-sources.js'
import { isShiftedByDays } from './value-kinds.js'

export type Column = Expression & { kind: 'column' }

/** The column of which the value is the lowest or highest, or a day some time before or after. */
export function onlyColumn(value: Expression, sources: Sources): Column | undefined {
  if (value.kind === 'column') {
    const output = sources.outputOf(value)
    return output === undefined ? value : onlyColumn(output, sources)
  }
  if (value.kind !== 'apply' || value.args[0] === undefined) return undefined
  return isShiftedByDays(value) || value.op === 'min' || value.op === 'max'
    ? onlyColumn(value.args[0], sources)
    : undefined
}

/** The name of a column with that of its table, where the table is known. */
export function qualifiedColumnName(column: Column, sources: Sources): string {
  const table = column.source === undefined ? undefined : sources.tables.get(column.source)
  return table === undefined ? column.name : `${table}.${column.name}`
}
