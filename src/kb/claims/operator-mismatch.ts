import { literalPattern } from '../../text/literal-pattern.js'
import { type Contradiction, contradictionAt } from './contradiction.js'
import type { Remark } from './documentation-remarks.js'
import { maskStringsAndComments } from './mask-sql.js'

/** Matches operators, and SQL keywords in capitals: in lower case they are prose. */
const never =
  /\b(?:[Nn]ever|[Dd]o not use|[Dd]on't use) `?(<=|>=|<>|!=|<|>|=|BETWEEN|DISTINCT|UNION ALL|UNION|(?:LEFT |INNER |CROSS |FULL )?JOIN|SUM|AVG|COUNT|MIN|MAX|ROUND|LIKE|NOT IN)(?![\w=<>])/g

/** Reports operators that a comment forbids, on the line of SQL beside or below it. */
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
