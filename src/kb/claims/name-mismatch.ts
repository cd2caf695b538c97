import { type Contradiction, contradictionAt } from './contradiction.js'
import type { Remark } from './documentation-remarks.js'
import { findUsage, isAggregated, maskStringsAndComments } from './mask-sql.js'

/** Matches a name in backticks, or one that only an identifier looks like: `orders_v1`, `commerce.orders`. */
const name = '(?:`([a-z_][\\w.]*)`|\\b((?:[a-z]\\w*\\.)*[a-z][a-z0-9]*_\\w+|(?:[a-z]\\w*\\.)+\\w+)\\b)'
const pattern = (text: string): RegExp => new RegExp(text.replaceAll('NAME', name), 'gi')

const replaced = pattern(
  'NAME(?: table| column| view)?,? (?:was|is|are|were|has been|got)(?: since| now| already)? (replaced|superseded|deprecated|retired|discontinued|obsolete)(?: by (?:the )?NAME)?',
)
const insteadOf = pattern('\\b(?:use|read|take|join|count) NAME,? (?:instead of|rather than|not|never) NAME')
const avoided = pattern("\\b(?:do not|don't|never) (?:use|read|join|query) NAME")
const notThis = pattern('(?:\\b([a-z]\\w*), |(?:^|[.:;]) *)not NAME')

/** Reports tables and columns that a remark advises against and that a query uses nevertheless. */
export function findNameMismatches(remark: Remark, place: string): Contradiction[] {
  if (remark.from === 'title') return []
  return [
    ...deprecatedUses(remark, replaced, (match) => ({
      old: match[1] ?? match[2],
      now: match[4] ?? match[5],
      why: (old, now) =>
        `uses ${old}, which was ${match[3]?.toLowerCase()}${now === undefined ? '' : ` by ${now}`} (${place})`,
    })),
    ...deprecatedUses(remark, insteadOf, (match) => ({
      old: match[3] ?? match[4],
      now: match[1] ?? match[2],
      why: (old, now) => `uses ${old} instead of ${now} (${place})`,
    })),
    ...deprecatedUses(remark, avoided, (match) => ({
      old: match[1] ?? match[2],
      now: undefined,
      why: (old) => `uses ${old}, which must not be used (${place})`,
    })),
    ...(remark.from === 'comment' ? aggregatedInstead(remark) : []),
  ]
}

interface Claim {
  readonly old: string | undefined
  readonly now: string | undefined
  readonly why: (old: string, now: string | undefined) => string
}

/**
 * Returns deprecated names in use. A query that uses both the old and the new one may have its reasons, such
 * as older and newer data.
 */
function deprecatedUses(
  remark: Remark,
  claims: RegExp,
  read: (match: RegExpMatchArray) => Claim,
): Contradiction[] {
  return [...remark.text.matchAll(claims)].flatMap((match) => {
    const { old, now, why } = read(match)
    if (old === undefined) return []
    return remark.snippets.flatMap(({ text, path }): Contradiction[] => {
      const bare = maskStringsAndComments(text)
      const offset = findUsage(old, bare)
      if (offset < 0 || (now !== undefined && findUsage(now, bare) >= 0)) return []
      return [{ path, offset, message: why(old, now) }]
    })
  })
}

/**
 * Reports aggregates of a column that a comment excludes: `-- revenue, not billed_revenue`, `-- not
 * account_id`.
 */
function aggregatedInstead(remark: Remark): Contradiction[] {
  return [...remark.text.matchAll(notThis)].flatMap((match) => {
    const [now, old] = [match[1], match[2] ?? match[3]]
    if (old === undefined) return []
    return remark.snippets.flatMap(({ text, path }): Contradiction[] => {
      const bare = maskStringsAndComments(text)
      const wanted = now !== undefined && findUsage(now, bare) >= 0
      const against = now === undefined || wanted ? isAggregated(old, bare) : findUsage(old, bare) >= 0
      if (!against || (now !== undefined && isAggregated(now, bare))) return []
      const where = path === remark.path ? 'it' : path
      return [contradictionAt(remark, match.index, `says not ${old}, but ${where} uses it`)]
    })
  })
}

const neverSummed = /\bnever (?:(?:to )?be )?(?:a sum\b|sum\b|summed\b|added up\b|add(?:ed)? them up\b)/gi

/**
 * Reports sums of columns that must never be summed according to a remark: those in its backticks, or those
 * that the query beside it uses.
 */
export function findForbiddenSums(remark: Remark, place: string): Contradiction[] {
  if (remark.from === 'title') return []
  return [...remark.text.matchAll(neverSummed)].flatMap((match) => {
    const named = [...remark.text.matchAll(/`([a-z_]\w*)`/gi)].map(([, column = '']) => column)
    return remark.snippets.flatMap((snippet): Contradiction[] => {
      const bare = maskStringsAndComments(snippet.text)
      const words = remark.text.match(/\b[a-z_]\w*\b/gi) ?? []
      const columns = remark.from === 'note' ? named : words.filter((word) => findUsage(word, bare) >= 0)
      const summed = columns.find((column) => isAggregated(column, bare, 'sum'))
      if (summed === undefined) return []
      if (remark.from === 'comment')
        return [contradictionAt(remark, match.index, `says "${match[0]}", but the query sums ${summed}`)]
      const message = `sums ${summed}, which must never be summed (${place})`
      return [{ path: snippet.path, offset: findUsage(summed, bare), message }]
    })
  })
}
