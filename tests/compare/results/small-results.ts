import { type CompareOptions, compareResults } from '../../../src/compare/results/compare-results.js'
import type { Column, ResultSet, Value } from '../../../src/engine/contract/engine.js'

export const defaults: CompareOptions = { order: 'unordered', tolerance: 1e-4, columns: 'auto' }

/** Columns are of no known type, as in JSON, or of the one that follows a colon: `d:DATE`. */
export function result(columns: string, ...rows: Value[][]): ResultSet {
  return {
    columns: columns === '' ? [] : columns.split(',').map(columnOf),
    rows,
    cut: null,
  }
}

function columnOf(column: string): Column {
  const [name = '', type = ''] = column.split(':')
  return { name, type }
}

export function matches(a: ResultSet, b: ResultSet, options: Partial<CompareOptions> = {}): boolean {
  return compareResults(a, b, { ...defaults, ...options }).match
}

export const date = (text: string): Value => ({ kind: 'date', text })

export const other = (type: string, text: string): Value => ({ kind: 'other', type, text })

export const decimal = (text: string): Value => ({ kind: 'decimal', text })

export const timestamp = (text: string): Value => ({ kind: 'timestamp', text })
