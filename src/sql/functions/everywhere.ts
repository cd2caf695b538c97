import { apply, type Expression } from '../shape/query-shape.js'
import { type FunctionTable, interval, named, now, number, partOf, textOf, today, unitOf } from './table.js'

/** What means the same wherever it exists. */
export const everywhere: FunctionTable = new Map([
  ['ifnull', named('coalesce', 2)],
  ['nvl', named('coalesce', 2)],
  ['char_length', named('length', 1)],
  ['character_length', named('length', 1)],
  ['substr', named('substring', 2, 3)],
  ['ucase', named('upper', 1)],
  ['lcase', named('lower', 1)],
  ['pow', named('power', 2)],
  ['ceiling', named('ceil', 1)],
  ['mod', (args) => binary('%', args)],
  ['mod_func', (args) => binary('%', args)],
  ['now', (args) => (args.length === 0 ? now : undefined)],
  ['current_timestamp', (args) => (args.length === 0 ? now : undefined)],
  ['curdate', (args) => (args.length === 0 ? today : undefined)],
  ['interval', spanOf],
  ['day_of_month', named('day', 1)],
  ['dayofmonth', named('day', 1)],
  ['date_add', (args) => shifted('+', args)],
  ['date_sub', (args) => shifted('-', args)],
  ['aggregate_function', (args) => anyAggregate(args)],
  ['trim', (args) => sided(args)],
  ['array_func', (args) => arrayOf(args)],
])

function binary(op: string, args: readonly Expression[]): Expression | undefined {
  return args.length === 2 ? apply(op, ...args) : undefined
}

/** `INTERVAL '30 days'`, `INTERVAL '30' DAY` and `INTERVAL 30 DAY`. */
function spanOf(args: readonly Expression[]): Expression | undefined {
  const [amount] = args
  if (amount === undefined) return undefined
  const unit = unitOf(partOf(args, 'unit') ?? args[1])
  const text = textOf(amount)?.trim()
  if (unit !== undefined) {
    if (args.length !== 2) return undefined
    return interval(text !== undefined && /^-?\d+$/u.test(text) ? number(text) : amount, unit)
  }
  const parts = args.length === 1 ? /^(-?\d+)\s*([a-z]+)$/iu.exec(text ?? '') : null
  const named = unitOf({ kind: 'literal', type: 'text', value: parts?.[2] ?? '' })
  return named === undefined ? undefined : interval(number(parts?.[1] ?? ''), named)
}

/** `DATE_ADD(d, INTERVAL 1 DAY)`, `DATE_ADD('day', 1, d)`. */
function shifted(op: '+' | '-', args: readonly Expression[]): Expression | undefined {
  const [first, second, third] = args
  if (first === undefined || second === undefined) return undefined
  const unit = unitOf(first)
  if (unit !== undefined && third !== undefined && args.length === 3)
    return apply(op, third, interval(second, unit))
  const span = second.kind === 'apply' && second.op === 'interval' ? second : undefined
  if (span !== undefined && args.length === 2) return apply(op, first, span)
  const labelled = unitOf(partOf(args, 'unit'))
  const amount = partOf(args, 'interval')
  return labelled !== undefined && amount !== undefined && args.length === 3
    ? apply(op, first, interval(amount, labelled))
    : undefined
}

/** `TRIM(LEADING FROM x)` is `ltrim(x)`. */
function sided(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const side = partOf(args, 'position')
  const labels = new Set(['field:position', 'field:position_explicit', 'field:sql_standard_syntax'])
  const isPlain = args.slice(1).every((arg) => arg.kind === 'apply' && labels.has(arg.op))
  if (value === undefined || side?.kind !== 'literal' || !isPlain) return undefined
  return apply(side.value === 'Leading' ? 'ltrim' : side.value === 'Trailing' ? 'rtrim' : 'trim', value)
}

const aggregateNames = new Map([
  ['arg_max', 'max_by'],
  ['arg_min', 'min_by'],
  ['max_by', 'max_by'],
  ['min_by', 'min_by'],
])

function anyAggregate(args: readonly Expression[]): Expression | undefined {
  const name = args.find((arg) => arg.kind === 'apply' && arg.op === 'field:name')
  const list = args.find((arg) => arg.kind === 'apply' && arg.op === 'field:args')
  const written =
    name?.kind === 'apply' && name.args[0]?.kind === 'literal' ? name.args[0].value.toLowerCase() : ''
  const common = aggregateNames.get(written)
  if (common === undefined || list?.kind !== 'apply' || args.length !== 2) return undefined
  return apply(common, ...list.args)
}

function arrayOf(args: readonly Expression[]): Expression | undefined {
  const list = args.find((arg) => arg.kind === 'apply' && arg.op === 'field:expressions')
  if (list?.kind !== 'apply')
    return args.some((arg) => arg.kind === 'apply' && arg.op.startsWith('field:'))
      ? undefined
      : apply('array', ...args)
  const rest = args.filter(
    (arg) => arg !== list && !(arg.kind === 'apply' && arg.op === 'field:bracket_notation'),
  )
  return rest.length === 0 ? apply('array', ...list.args) : undefined
}
