import { apply } from '../shape/query-shape.js'
import { type FunctionTable, named } from './table.js'

export const snowflake: FunctionTable = new Map([
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  [
    'iff',
    (args) =>
      args.length === 3
        ? apply('case', apply('when', ...args.slice(0, 2)), apply('else', ...args.slice(2)))
        : undefined,
  ],
  ['charindex', (args) => (args.length === 2 ? apply('strpos', ...args.toReversed()) : undefined)],
  [
    'zeroifnull',
    (args) =>
      args.length === 1
        ? apply('coalesce', ...args, { kind: 'literal', type: 'number', value: '0' })
        : undefined,
  ],
  ['len', named('length', 1)],
])
