import { literalPattern } from '../../text/literal-pattern.js'
import type { Snippet } from '../entry.js'
import { codeSpans } from './code-spans.js'
import type { Contradiction } from './contradiction.js'
import { maskStringsAndComments } from './mask-sql.js'
import type { Remark } from './remarks.js'

/** That something holds for all queries, and not only for those that a reader has in mind. */
const universalPattern =
  /\b(?:everything|always|must|every (?:query|figure|metric|report|count|sum)|(?:all|no) (?:queries|figures?|metrics|reports)|(?:never|query) without|without the filter)\b/i

/**
 * A filter that a note demands of all that read a table, where most do and one does not: `Leave test orders (is_test) out
 * of everything that reads commerce.orders`.
 *
 * @param place of the remark, as `kb/notes/orders.md:3`
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
      // What few queries do is no rule, whatever a text may seem to say.
      if (without.length * 3 > readers.length) return []
      return without.map(({ snippet: { path }, at }) => ({
        path,
        offset: at,
        message: `reads ${table} without \`${column}\`, which ${place} requires`,
      }))
    })
  })
}

/** Where a query reads a table, which a note may name without its schema or by its beginning: `shopee_*`. */
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
