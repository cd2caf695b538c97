import { literalPattern } from '../../pattern.js'
import { bareSql } from './bare-sql.js'
import { atRemark, type Contradiction } from './contradiction.js'
import type { Remark } from './remarks.js'

/** Operators, and words of SQL in capitals: in small letters they are prose. */
const never =
  /\b(?:[Nn]ever|[Dd]o not use|[Dd]on't use) `?(<=|>=|<>|!=|<|>|=|BETWEEN|DISTINCT|UNION ALL|UNION|(?:LEFT |INNER |CROSS |FULL )?JOIN|SUM|AVG|COUNT|MIN|MAX|ROUND|LIKE|NOT IN)(?![\w=<>])/g

/** What a comment says never to write, on the line of SQL that it stands behind or above. */
export function operatorsAgainst(remark: Remark): Contradiction[] {
  if (remark.beside === undefined) return []
  const line = bareSql(remark.beside)
  return [...remark.text.matchAll(never)].flatMap((match) => {
    const written = match[1] ?? ''
    const pattern = /^\w/.test(written)
      ? new RegExp(`\\b${written.replaceAll(' ', '\\s+')}\\b`, 'i')
      : new RegExp(`(?<![<>=!])${literalPattern(written)}(?![<>=])`)
    if (!pattern.test(line)) return []
    return [atRemark(remark, match.index, `says "${match[0]}", but the query does`)]
  })
}
