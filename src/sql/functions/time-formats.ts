import { apply, type Expression } from '../shape/query-shape.js'
import { textOf } from './table.js'

/** MySQL and Trino write minutes as %i, seconds as %s too, months without zero as %c. */
const mysqlCodes: ReadonlyMap<string, string> = new Map([
  ['%i', '%M'],
  ['%s', '%S'],
  ['%c', '%-m'],
  ['%e', '%-d'],
  ['%T', '%H:%M:%S'],
])

/** The format in the letters of C's strftime. */
export function fromMysqlFormat(format: string): string {
  return format.replace(/%[a-zA-Z]/gu, (code) => mysqlCodes.get(code) ?? code)
}

/** A format and a value as one common call, in whichever order the dialect has them. */
export function timeCall(
  name: 'format_time' | 'parse_time',
  value: Expression | undefined,
  format: Expression | undefined,
  translate: (format: string) => string = (text) => text,
): Expression | undefined {
  const text = textOf(format)
  if (value === undefined || text === undefined) return undefined
  const common: Expression = { kind: 'literal', type: 'text', value: translate(text) }
  return name === 'format_time' ? apply(name, common, value) : apply(name, value, common)
}
