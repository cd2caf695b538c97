import type { Metric } from '../../../../kb/entry.js'
import { findPlaceholders } from '../../../../kb/render-snippet.js'
import type { Expression, QueryShape } from '../../../../sql/index.js'
import type { RepairContext } from '../model/repair-context.js'

/** A parsed snippet, in which each placeholder was replaced by something that the parser can read. */
export interface ParsedSnippet {
  readonly shape: QueryShape
  /** Returns the placeholder, `market` or `period.start`, that a part was parsed in place of. */
  readonly placeholderOf: (part: Expression) => string | undefined
}

/** A number that no query has: more digits would lose precision when parsed. */
const firstNumber = 770_077_000
const prefix = 'autotest_value_of_'

/**
 * Returns a snippet in which each placeholder is something that the parser can read, and the placeholders that
 * stand as numbers.
 *
 * @param metrics those that use the snippet and declare the types of its parameters
 */
export function readablePlaceholders(
  text: string,
  metrics: readonly Metric[],
): { readonly sql: string; readonly names: readonly string[] } {
  const names: string[] = []
  const number = (name: string): string => {
    if (!names.includes(name)) names.push(name)
    return String(firstNumber + names.indexOf(name))
  }
  let sql = text
  for (const { name, property, start, end } of findPlaceholders(text).reverse()) {
    const type = metrics.map(({ parameters }) => parameters.get(name)?.type).find((each) => each)
    const placeholder = property === undefined ? name : `${name}.${property}`
    const mark =
      property === 'days' || type === 'number'
        ? number(placeholder)
        : type === 'choice'
          ? `${prefix}${placeholder}`
          : `'${prefix}${placeholder}'`
    sql = sql.slice(0, start) + mark + sql.slice(end)
  }
  return { sql, names }
}

/**
 * Parses a snippet; undefined if that fails.
 *
 * @param metrics those that use the snippet and declare the types of its parameters
 */
export function parseSnippet(
  text: string,
  metrics: readonly Metric[],
  { parser, dialect }: Pick<RepairContext, 'parser' | 'dialect'>,
): ParsedSnippet | undefined {
  const { sql, names } = readablePlaceholders(text, metrics)
  const parsed = parser.parse(sql, dialect)
  if (parsed.kind !== 'query') return undefined
  return {
    shape: parsed.shape,
    placeholderOf(part) {
      if (part.kind === 'column' && part.name.startsWith(prefix)) return part.name.slice(prefix.length)
      if (part.kind !== 'literal') return undefined
      if (part.type === 'number') return names[Number(part.value) - firstNumber]
      return part.value.startsWith(prefix) ? part.value.slice(prefix.length) : undefined
    },
  }
}
