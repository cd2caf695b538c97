import { literalPattern } from '../../text/literal-pattern.js'
import { type Contradiction, contradictionAt } from './contradiction.js'
import { maskStringsAndComments } from './mask-sql.js'
import type { Remark } from './remarks.js'

/** Operators, and words of SQL in capitals: in small letters they are prose. */
const never =
  /\b(?:[Nn]ever|[Dd]o not use|[Dd]on't use) `?(<=|>=|<>|!=|<|>|=|BETWEEN|DISTINCT|UNION ALL|UNION|(?:LEFT |INNER |CROSS |FULL )?JOIN|SUM|AVG|COUNT|MIN|MAX|ROUND|LIKE|NOT IN)(?![\w=<>])/g

/** What a comment says never to write, on the line of SQL that it stands behind or above. */
export function findOperatorMismatches(remark: Remark): Contradiction[] {
  if (remark.adjacentLine === undefined) return []
  const line = maskStringsAndComments(remark.adjacentLine)
  return [...remark.text.matchAll(never)].flatMap((match) => {
    const written = match[1] ?? ''
    const pattern = /^\w/.test(written)
      ? new RegExp(`\\b${written.replaceAll(' ', '\\s+')}\\b`, 'i')
      : new RegExp(`(?<![<>=!])${literalPattern(written)}(?![<>=])`)
    if (!pattern.test(line)) return []
    return [contradictionAt(remark, match.index, `says "${match[0]}", but the query uses it`)]
  })
}
