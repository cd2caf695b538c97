import type { Dialect } from '../../enums/dialect.js'
import { type Assumptions, assumeTimes } from '../relational/assumptions.js'
import type { Expression } from '../shape/query-shape.js'
import { mapAll } from '../shape/rewrite-query.js'

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=', 'between', 'in_list'])

const moment = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}/u
/** As SQLite's own functions write it. */
const plainMoment = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/u
const midnight = /[ T]00:00(?::00(?:\.0+)?)?$/u
const plainDay = /^\d{4}-\d{2}-\d{2}$/u
const anyDay = /^(?:\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[-/]\d{1,2}[-/]\d{4})(?!\d)/u

/** A column, what a schema says of its type, and what people call it. */
export interface NamedColumn {
  readonly name: string
  readonly type: string | undefined
}

/**
 * Queries in two dialects compare a column with one text for a day or a moment: a column of dates reads the text as one
 * and loses its time, except in MySQL, which keeps it, and in SQLite, where it stays a text. Where the column may hold
 * dates, the text is marked as specific to the looser dialect, unless the content of the column is assumed.
 */
export function markTemporalTexts(
  expression: Expression & { kind: 'apply' },
  { dialect, other }: { readonly dialect: Dialect; readonly other: Dialect },
  columnOf: (value: Expression) => NamedColumn | undefined,
  assumptions: Assumptions,
): Expression {
  const isLooser = dialect === 'sqlite' || (dialect === 'mysql' && other !== 'sqlite')
  if (!isLooser || dialect === other || !comparisons.has(expression.op)) return expression
  const column = expression.args.map(columnOf).find((found) => found !== undefined)
  if (column === undefined) return expression
  const args = mapAll(expression.args, (arg) => {
    if (arg.kind !== 'literal' || arg.type !== 'text') return arg
    return isReadAlike(arg.value, column, dialect, assumptions) ? arg : { ...arg, type: `text of ${dialect}` }
  })
  return args === expression.args ? expression : { ...expression, args }
}

function isReadAlike(
  text: string,
  { name, type }: NamedColumn,
  dialect: Dialect,
  assumptions: Assumptions,
): boolean {
  if (plainDay.test(text) || (type !== undefined && /char|text|string|clob/u.test(type))) return true
  const isMoment = moment.test(text)
  const isOfMoments = dialect === 'sqlite' ? plainMoment.test(text) : isMoment
  if (dialect === 'sqlite' ? !isMoment && !anyDay.test(text) : !isMoment || midnight.test(text)) return true
  if (type !== undefined && /date|time/u.test(type)) return isOfMoments && type !== 'date'
  return assumeTimes(name, isOfMoments ? 'no days' : 'texts', assumptions)
}
