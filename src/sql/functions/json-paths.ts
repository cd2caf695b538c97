import { apply, type Expression } from '../shape/query-shape.js'
import { partOf, text, textOf } from './table.js'

/** What dialects return: the JSON at a path, or its scalar as a text. */
export type JsonCall = 'json_extract' | 'json_extract_scalar'

/** `json_extract(x, '$.a.b')` where the path is written so, or as a key after an arrow. */
export function jsonAt(name: JsonCall, args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const path = partOf(args, 'path')
  if (value === undefined || path === undefined) return undefined
  const isArrow = partOf(args, 'arrow_syntax') !== undefined
  const written = textOf(path)
  const isPlain = args.every((arg) => arg === value || (arg.kind === 'apply' && known.has(arg.op)))
  if (!isPlain || written === undefined) return undefined
  const keys = /^\{(\w+(?:,\w+)*)\}$/u.exec(written)?.[1]
  if (partOf(args, 'hash_arrow_syntax') !== undefined) {
    const named = keys === undefined ? undefined : pathOf(keys.split(','))
    return named === undefined ? undefined : apply(name, value, text(named))
  }
  const full = written.startsWith('$') ? plainPath(written) : isArrow ? pathOf([written]) : undefined
  return full === undefined ? undefined : apply(name, value, text(full))
}

/** `json_extract_path(x, 'a', 'b')`. */
export function jsonAtKeys(name: JsonCall, args: readonly Expression[]): Expression | undefined {
  const [value, ...keys] = args
  const path = pathOf(keys.map((key) => textOf(key) ?? ''))
  return value === undefined || path === undefined ? undefined : apply(name, value, text(path))
}

const known: ReadonlySet<string> = new Set(['field:path', 'field:arrow_syntax', 'field:hash_arrow_syntax'])

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
  const isColon = partOf(args, 'variant_extract') !== undefined
  if (value === undefined || second === undefined || args.length !== (isColon ? 3 : 2)) return undefined
  return inVariant(value, textOf(isColon ? partOf(args, 'expression') : second))
}

/** As `variantPath`, of a single key. */
export function variantKey(args: readonly Expression[]): Expression | undefined {
  const [value, second] = args
  const key = textOf(partOf(args, 'index') ?? second)
  return value !== undefined && args.length === 2 && plainKey.test(key ?? '')
    ? inVariant(value, key)
    : undefined
}

function inVariant(value: Expression, path: string | undefined): Expression | undefined {
  if (path === undefined || !/^[A-Za-z_]\w*(?:\[\d+\]|\.[A-Za-z_]\w*)*$/u.test(path)) return undefined
  const [inner, before] = value.kind === 'apply' && value.op === 'get_path' ? value.args : []
  const start = textOf(before)
  return inner !== undefined && start !== undefined
    ? apply('get_path', inner, text(`${start}.${path}`))
    : apply('get_path', value, text(path))
}
