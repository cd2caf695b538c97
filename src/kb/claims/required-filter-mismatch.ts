import { literalPattern } from '../../text/literal-pattern.js'
import type { Snippet } from '../entry.js'
import { codeSpans } from './code-spans.js'
import type { Contradiction } from './contradiction.js'
import type { Remark } from './documentation-remarks.js'
import { maskStringsAndComments } from './mask-sql.js'

/** Matches statements about all queries, and not only about those that their author has in mind. */
const universalPattern =
  /\b(?:everything|always|must|every (?:query|figure|metric|report|count|sum)|(?:all|no) (?:queries|figures?|metrics|reports)|(?:never|query) without|without the filter)\b/i

/**
 * Reports a query that lacks a filter which a note requires of all queries of a table, if most have it:
 * `Leave test orders (is_test) out of everything that reads commerce.orders`.
 *
 * @param place location of the remark, as `kb/notes/orders.md:3`
 */
export function findRequiredFilterMismatches(remark: Remark, place: string): Contradiction[] {
  if (remark.from !== 'note' || !universalPattern.test(remark.text)) return []
  const spans = codeSpans(remark.text).map(({ code }) => code)
  const columns = new Set(
    spans.flatMap((code) => /^(\w+)(?:\s*(?:[<>=!]|is\b|in\b).*)?$/iu.exec(code)?.[1] ?? []),
  )
  return spans.flatMap((table) => {
    const readers = remark.snippets.flatMap((snippet) => {
      const at = readsAt(table, snippet)
      return at === undefined ? [] : [{ snippet, at }]
    })
    return [...columns].flatMap((column) => {
      const without = readers.filter(({ snippet }) => !uses(column, snippet))
      // If few queries have the filter, it is no rule, whatever the text seems to require.
      if (without.length * 3 > readers.length) return []
      return without.map(({ snippet: { path }, at }) => ({
        path,
        offset: at,
        message: `reads ${table} without \`${column}\`, which ${place} requires`,
      }))
    })
  })
}

/**
 * Returns the offset at which a query reads a table, which a note may name without its schema or by a prefix:
 * `shopee_*`.
 */
function readsAt(table: string, { text }: Snippet): number | undefined {
  if (!/^[\w.]*\w(?:\*|[\w.])*$/u.test(table)) return undefined
  const pattern = literalPattern(table).replaceAll('\\*', '\\w*')
  const found = new RegExp(`\\b(?:from|join)\\s+(?:\\w+\\.)*(${pattern})(?![\\w.])`, 'i').exec(
    maskStringsAndComments(text),
  )
  return found === null ? undefined : found.index + found[0].length - (found[1]?.length ?? 0)
}

function uses(column: string, { text }: Snippet): boolean {
  return new RegExp(`(?<!\\w)${literalPattern(column)}(?!\\w)`, 'i').test(maskStringsAndComments(text))
}
