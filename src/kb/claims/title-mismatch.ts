import type { KnowledgeBase, Metric } from '../entry.js'
import { type Contradiction, contradictionAt } from './contradiction.js'
import type { Remark } from './documentation-remarks.js'
import { maskStringsAndComments } from './mask-sql.js'

interface TitleRule {
  readonly words: RegExp
  /** Reports whether a query, without strings and comments, cannot be of that kind. */
  readonly isViolated: (sql: string) => boolean
  readonly says: string
}

/** Matches averages. A division by a plain number changes the unit; it makes no average. */
const averages =
  /\b(?:avg|mean|median|regr_avg\w*|approx_percentile|percentile_\w+|quantile\w*)\s*\(|\w*(?:avg|average|mean|median)\w*|\/\s*(?![\s\d])/i

const titleRules: readonly TitleRule[] = [
  {
    words: /\b(?:average|mean)\b/i,
    isViolated: (sql) => !averages.test(stripAliases(sql)),
    says: 'has no average and no division',
  },
  {
    words: /\b(?:rate|ratio|share|percentage)\b/i,
    isViolated: (sql) =>
      !/\/|\bavg\s*\(|\bdivide\s*\(|\w*(?:rate|ratio|share|percent|pct)\w*/i.test(stripAliases(sql)),
    says: 'has no division and no average',
  },
  {
    words: /\b(?:distinct|unique)\b/i,
    isViolated: (sql) => !/\bdistinct\b|\bgroup\s+by\b|approx_\w*distinct|\bapprox_count_distinct/i.test(sql),
    says: 'has no DISTINCT',
  },
  {
    words: /^(?!.*\b(?:average|mean|avg)\b).*\b(?:total|sum of|number of)\b/i,
    isViolated: (sql) => /\bavg\s*\(/i.test(sql) && !/\b(?:sum|count)\s*\(/i.test(sql),
    says: 'averages',
  },
]

const ratioOfSums: TitleRule = {
  words: /^\W*ratio of sums\b/i,
  isViolated: (sql) => /\bavg\s*\([^()]*\//i.test(sql) || !sql.includes('/'),
  says: 'has no sum divided by a sum',
}

/** Removes aliases: a column may contain the rate already, but the query's own name for it proves nothing. */
function stripAliases(sql: string): string {
  return sql.replaceAll(/\bas\s+\w+/gi, ' ')
}

/** Reports a title, or the beginning of a comment, that its query contradicts. */
export function findTitleMismatches(remark: Remark, kb: KnowledgeBase): Contradiction[] {
  if (remark.from === 'note') return []
  // Later in a comment, the word may be about anything.
  const [average] = titleRules
  const opens = /^\W*(?:average|mean)\b/i.test(remark.text)
  const asked = remark.from === 'title' ? titleRules : [...(opens && average ? [average] : []), ratioOfSums]
  return remark.snippets.flatMap((snippet) => {
    const metrics = kb.metrics.filter((metric) => metric.snippet === snippet.name)
    const sql = [maskStringsAndComments(snippet.text), ...metrics.flatMap(choiceExpressions)].join('\n')
    return asked
      .filter(({ words, isViolated }) => words.test(remark.text) && isViolated(sql))
      .map(({ says }) =>
        remark.from === 'title'
          ? contradictionAt(remark, 0, `the title says "${remark.text}", but ${snippet.path} ${says}`)
          : contradictionAt(
              remark,
              0,
              `the comment says "${remark.text.trim()}", but ${snippet.path} ${says}`,
            ),
      )
  })
}

function choiceExpressions({ parameters }: Metric): string[] {
  return [...parameters.values()].flatMap((parameter) =>
    parameter.type === 'choice' ? [...parameter.values.values()].map(({ sql }) => sql) : [],
  )
}
