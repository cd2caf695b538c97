import { apply, type Expression } from '../shape/query-shape.js'
import { type FunctionTable, named, textOf, truncated } from './table.js'

export const postgres: FunctionTable = new Map([
  ['to_char', (args) => formatted(args)],
  [
    'array_length',
    ([list, dimension]) =>
      list && dimension?.kind === 'literal' && dimension.value === '1'
        ? apply('cardinality', list)
        : undefined,
  ],
  ['~', named('regexp_like', 2)],
])

const formats = new Map([
  ['YYYY-MM-01', 'month'],
  ['YYYY-MM-DD', 'day'],
])

const codes: readonly (readonly [string, string])[] = [
  ['YYYY', '%Y'],
  ['MM', '%m'],
  ['DD', '%d'],
  ['HH24', '%H'],
  ['MI', '%M'],
  ['SS', '%S'],
]

function formatted([value, format]: readonly Expression[]): Expression | undefined {
  const text = textOf(format)
  if (value === undefined || text === undefined) return undefined
  const unit = formats.get(text)
  if (unit !== undefined) return truncated(unit, value)
  const common = codes.reduce((done, [code, sign]) => done.replaceAll(code, sign), text)
  return /[a-z]{2,}/iu.test(common.replace(/%[a-z]/giu, ''))
    ? undefined
    : apply('format_time', { kind: 'literal', type: 'text', value: common }, value)
}
