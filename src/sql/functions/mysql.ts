import { apply, type Expression } from '../shape/query-shape.js'
import { type FunctionTable, named, textOf, truncated } from './table.js'
import { fromMysqlFormat, timeCall } from './time-formats.js'

export const mysql: FunctionTable = new Map([
  ['length', named('octet_length', 1)],
  [
    'if',
    (args) =>
      args.length === 3
        ? apply('case', apply('when', ...args.slice(0, 2)), apply('else', ...args.slice(2)))
        : undefined,
  ],
  ['datediff', named('days_between', 2)],
  ['instr', named('strpos', 2)],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  [
    'xor',
    ([a, b]) =>
      a && b ? apply('or', apply('and', a, apply('not', b)), apply('and', apply('not', a), b)) : undefined,
  ],
  ['str_to_date', ([value, format]) => timeCall('parse_time', value, format, fromMysqlFormat)],
  ['char', named('chr', 1)],
  ['date_format', (args) => formatted(args)],
])

const formats = new Map([
  ['%Y-%m-01', 'month'],
  ['%Y-01-01', 'year'],
  ['%Y-%m-%d', 'day'],
])

function formatted([value, format]: readonly Expression[]): Expression | undefined {
  const unit = formats.get(textOf(format) ?? '')
  if (unit !== undefined && value !== undefined) return truncated(unit, value)
  return timeCall('format_time', value, format, fromMysqlFormat)
}
