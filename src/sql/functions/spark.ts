import { apply } from '../shape/query-shape.js'
import { type FunctionTable, named } from './table.js'

export const spark: FunctionTable = new Map([
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['instr', named('strpos', 2)],
  ['size', named('cardinality', 1)],
])
