import { apply, type Expression } from '../shape/query-shape.js'
import { labelledPart, textLiteral, textLiteralValue } from './function-table.js'

/** The two results that dialects return: the JSON at a path, or its scalar as a text. */
export type JsonCall = 'json_extract' | 'json_extract_scalar'

/** `json_extract(x, '$.a.b')` where the path is written so, or as a key after an arrow. */
export function jsonExtract(name: JsonCall, args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const path = labelledPart(args, 'path')
  if (value === undefined || path === undefined) return undefined
  const isArrow = labelledPart(args, 'arrow_syntax') !== undefined
  const written = textLiteralValue(path)
  const isPlain = args.every((arg) => arg === value || (arg.kind === 'apply' && knownFields.has(arg.op)))
  if (!isPlain || written === undefined) return undefined
  const keys = /^\{(\w+(?:,\w+)*)\}$/u.exec(written)?.[1]
  if (labelledPart(args, 'hash_arrow_syntax') !== undefined) {
    const named = keys === undefined ? undefined : pathOf(keys.split(','))
    return named === undefined ? undefined : apply(name, value, textLiteral(named))
  }
  const full = written.startsWith('$') ? plainPath(written) : isArrow ? pathOf([written]) : undefined
  return full === undefined ? undefined : apply(name, value, textLiteral(full))
}

/** `json_extract_path(x, 'a', 'b')`. */
export function jsonExtractKeys(name: JsonCall, args: readonly Expression[]): Expression | undefined {
  const [value, ...keys] = args
  const path = pathOf(keys.map((key) => textLiteralValue(key) ?? ''))
  return value === undefined || path === undefined ? undefined : apply(name, value, textLiteral(path))
}

const knownFields: ReadonlySet<string> = new Set([
  'field:path',
  'field:arrow_syntax',
  'field:hash_arrow_syntax',
])

/** Plain keys only: digits may be a place in an array, and other marks are quoted differently by dialect. */
const plainKey = /^[A-Za-z_][A-Za-z0-9_]*$/u

function pathOf(keys: readonly string[]): string | undefined {
  return keys.length > 0 && keys.every((key) => plainKey.test(key)) ? `$.${keys.join('.')}` : undefined
}

function plainPath(path: string): string | undefined {
  return pathOf(path.slice(2).split('.'))
}

/**
 * Snowflake's `x:a.b`, `GET_PATH(x, 'a.b')`, `x['a']['b']` and `GET(GET(x, 'a'), 'b')`; plain keys and places only. The
 * tree does not tell `x:"a.b"` from `x:a.b`; that the text has such a key is noted elsewhere.
 */
export function variantPath(args: readonly Expression[]): Expression | undefined {
  const [value, second] = args
  const isColon = labelledPart(args, 'variant_extract') !== undefined
  if (value === undefined || second === undefined || args.length !== (isColon ? 3 : 2)) return undefined
  return appendVariantPath(value, textLiteralValue(isColon ? labelledPart(args, 'expression') : second))
}

/** As `variantPath`, of a single key. */
export function variantKey(args: readonly Expression[]): Expression | undefined {
  const [value, second] = args
  const key = textLiteralValue(labelledPart(args, 'index') ?? second)
  return value !== undefined && args.length === 2 && plainKey.test(key ?? '')
    ? appendVariantPath(value, key)
    : undefined
}

function appendVariantPath(value: Expression, path: string | undefined): Expression | undefined {
  if (path === undefined || !/^[A-Za-z_]\w*(?:\[\d+\]|\.[A-Za-z_]\w*)*$/u.test(path)) return undefined
  const [inner, before] = value.kind === 'apply' && value.op === 'get_path' ? value.args : []
  const start = textLiteralValue(before)
  return inner !== undefined && start !== undefined
    ? apply('get_path', inner, textLiteral(`${start}.${path}`))
    : apply('get_path', value, textLiteral(path))
}
