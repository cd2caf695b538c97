import type { KnowledgeBase, Metric } from '../entry.js'
import { bareSql } from './bare-sql.js'
import { atRemark, type Contradiction } from './contradiction.js'
import type { Remark } from './remarks.js'

interface Promised {
  readonly words: RegExp
  /** Whether a query, without strings and comments, cannot be of that kind. */
  readonly broken: (sql: string) => boolean
  readonly says: string
}

/** A division by a plain number changes the unit; it makes no average. */
const averages =
  /\b(?:avg|mean|median|regr_avg\w*|approx_percentile|percentile_\w+|quantile\w*)\s*\(|\w*(?:avg|average|mean|median)\w*|\/\s*(?![\s\d])/i

const promises: readonly Promised[] = [
  {
    words: /\b(?:average|mean)\b/i,
    broken: (sql) => !averages.test(withoutOwnNames(sql)),
    says: 'holds no sign of an average or a division',
  },
  {
    words: /\b(?:rate|ratio|share|percentage)\b/i,
    broken: (sql) =>
      !/\/|\bavg\s*\(|\bdivide\s*\(|\w*(?:rate|ratio|share|percent|pct)\w*/i.test(withoutOwnNames(sql)),
    says: 'holds no sign of a division or an average',
  },
  {
    words: /\b(?:distinct|unique)\b/i,
    broken: (sql) => !/\bdistinct\b|\bgroup\s+by\b|approx_\w*distinct|\bapprox_count_distinct/i.test(sql),
    says: 'holds no sign of DISTINCT',
  },
  {
    words: /^(?!.*\b(?:average|mean|avg)\b).*\b(?:total|sum of|number of)\b/i,
    broken: (sql) => /\bavg\s*\(/i.test(sql) && !/\b(?:sum|count)\s*\(/i.test(sql),
    says: 'averages',
  },
]

const ratioOfSums: Promised = {
  words: /^\W*ratio of sums\b/i,
  broken: (sql) => /\bavg\s*\([^()]*\//i.test(sql) || !sql.includes('/'),
  says: 'holds no sum divided by a sum',
}

/** A column may hold the rate already; what the query itself calls so shows nothing. */
function withoutOwnNames(sql: string): string {
  return sql.replaceAll(/\bas\s+\w+/gi, ' ')
}

/** What a title promises, or a comment begins with, and its query cannot keep. */
export function promisesAgainst(remark: Remark, kb: KnowledgeBase): Contradiction[] {
  if (remark.from === 'note') return []
  // Further on in a comment, the word may be about anything.
  const [average] = promises
  const opens = /^\W*(?:average|mean)\b/i.test(remark.text)
  const asked = remark.from === 'title' ? promises : [...(opens && average ? [average] : []), ratioOfSums]
  return remark.snippets.flatMap((snippet) => {
    const metrics = kb.metrics.filter((metric) => metric.snippet === snippet.name)
    const sql = [bareSql(snippet.text), ...metrics.flatMap(choiceExpressions)].join('\n')
    return asked
      .filter(({ words, broken }) => words.test(remark.text) && broken(sql))
      .map(({ says }) =>
        remark.from === 'title'
          ? atRemark(remark, 0, `the title says "${remark.text}", but ${snippet.path} ${says}`)
          : atRemark(remark, 0, `the comment says "${remark.text.trim()}", but ${snippet.path} ${says}`),
      )
  })
}

function choiceExpressions({ parameters }: Metric): string[] {
  return [...parameters.values()].flatMap((parameter) =>
    parameter.type === 'choice' ? [...parameter.values.values()].map(({ sql }) => sql) : [],
  )
}
