import { apply, type Expression } from '../shape/query-shape.js'
import { type FunctionTable, named, textOf, truncated } from './table.js'

export const mysql: FunctionTable = new Map([
  ['length', named('octet_length', 1)],
  [
    'if',
    (args) =>
      args.length === 3
        ? apply('case', apply('when', ...args.slice(0, 2)), apply('else', ...args.slice(2)))
        : undefined,
  ],
  ['instr', named('strpos', 2)],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['xor', named('logical_xor', 2)],
  ['str_to_date', named('parse_time', 2)],
  ['date_format', (args) => formatted(args)],
])

const formats = new Map([
  ['%Y-%m-01', 'month'],
  ['%Y-01-01', 'year'],
  ['%Y-%m-%d', 'day'],
])

/** MySQL writes minutes as %i and seconds as %s or %S. */
function formatted([value, format]: readonly Expression[]): Expression | undefined {
  const text = textOf(format)
  if (value === undefined || text === undefined) return undefined
  const unit = formats.get(text)
  const common = text.replaceAll('%i', '%M').replaceAll('%s', '%S')
  return unit === undefined
    ? apply('format_time', { kind: 'literal', type: 'text', value: common }, value)
    : truncated(unit, value)
}
