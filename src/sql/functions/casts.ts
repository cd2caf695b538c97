import { apply, type Expression, word } from '../shape/query-shape.js'
import { textLiteral } from './function-table.js'

/**
 * A text literal cast to a text, or an integer to an integer, is the literal; what is cast twice to one type is cast once;
 * a row cast to named fields is a struct.
 */
export function simplifyCast(value: Expression, type: string): Expression | undefined {
  if (value.kind === 'apply' && value.op === 'row') return structOf(value.args, type)
  if (value.kind === 'apply') return isOfType(value, type) ? value : undefined
  if (value.kind !== 'literal') return undefined
  const isIdle =
    (value.type === 'text' && type === 'text') ||
    (value.type === 'number' && type === 'int' && /^-?\d{1,9}$/u.test(value.value))
  return isIdle ? value : undefined
}

const conditions: ReadonlySet<string> = new Set([
  ...['=', '<>', '<', '<=', '>', '>=', 'and', 'or', 'not', 'is_null', 'like', 'i_like', 'in', 'between'],
])

type Call = Expression & { kind: 'apply' }

function isOfType({ op, args }: Call, type: string): boolean {
  return isCastTo({ op, args }, type) || (type === 'boolean' && conditions.has(op))
}

export function isCastTo({ op, args }: Pick<Call, 'op' | 'args'>, type: string): boolean {
  const [, own] = args
  return op === 'cast' && args.length === 2 && own?.kind === 'literal' && own.value === type
}

/** The parser gives the fields of a row type as JSON. */
function structOf(values: readonly Expression[], type: string): Expression | undefined {
  const written = /^struct\(fields=(\[.*\]), true\)$/u.exec(type)?.[1]
  if (written === undefined) return undefined
  const fields: unknown = JSON.parse(written)
  if (!Array.isArray(fields) || fields.length !== values.length) return undefined
  const named = fields.flatMap((field: unknown, at): Expression[] => {
    const [name, kind] = [fieldText(field, 'name'), fieldText(fieldOf(field, 'data_type'), 'data_type')]
    const [value] = values.slice(at, at + 1)
    if (name === undefined || kind === undefined || value === undefined) return []
    return [apply('named', textLiteral(name), simplifyCast(value, kind) ?? apply('cast', value, word(kind)))]
  })
  return named.length === values.length ? apply('struct', ...named) : undefined
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined
}

function fieldText(value: unknown, key: string): string | undefined {
  const found = fieldOf(value, key)
  return typeof found === 'string' ? found : undefined
}
