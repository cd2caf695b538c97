import type { Metric } from '../../../../kb/entry.js'
import { findPlaceholders } from '../../../../kb/render.js'
import type { Expression, QueryShape } from '../../../../sql/index.js'
import type { RepairContext } from '../model/knowledge.js'

/** A snippet as the parser reads it, with something that it can read in place of each placeholder. */
export interface ParsedSnippet {
  readonly shape: QueryShape
  /** `market`, `period.start` of the part that stands for it. */
  readonly placeholderOf: (part: Expression) => string | undefined
}

/** No number of a query: so many digits would be read as another one. */
const firstNumber = 770_077_000
const prefix = 'autotest_value_of_'

/**
 * Undefined where it cannot be read.
 *
 * @param metrics those that read the snippet, and say of what type its parameters are
 */
export function parseSnippet(
  text: string,
  metrics: readonly Metric[],
  { parser, dialect }: Pick<RepairContext, 'parser' | 'dialect'>,
): ParsedSnippet | undefined {
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
