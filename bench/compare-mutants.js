/** Queries that differ from a given one by a token: most mean something else. */
export function mutantsOf(sql) {
  const mutants = new Set()
  for (const [pattern, ...replacements] of swaps) {
    for (const match of sql.matchAll(pattern)) {
      for (const replacement of replacements) {
        const text = typeof replacement === 'function' ? replacement(match[0]) : replacement
        mutants.add(sql.slice(0, match.index) + text + sql.slice(match.index + match[0].length))
      }
    }
  }
  for (const conjunct of sql.matchAll(
    /\s+AND\s+[\w."]+\s*(?:=|<|>|!=|<>|>=|<=)\s*(?:'[^']*'|"[^"]*"|[\w.]+)/giu,
  )) {
    mutants.add(sql.slice(0, conjunct.index) + sql.slice(conjunct.index + conjunct[0].length))
  }
  mutants.delete(sql)
  return [...mutants]
}

const swaps = [
  [/\bDISTINCT\s+/giu, ''],
  [/\bSELECT\s+(?!DISTINCT)/giu, 'SELECT DISTINCT '],
  [/\bcount\s*\(\s*\*\s*\)/giu, 'count(1)', 'sum(1)'],
  [/\bavg\s*\(/giu, 'sum(', 'min('],
  [/\bsum\s*\(/giu, 'avg(', 'total('],
  [/\bmax\s*\(/giu, 'min('],
  [/\bmin\s*\(/giu, 'max(', 'min(DISTINCT '],
  [/\bcount\s*\(\s*DISTINCT\s+/giu, 'count('],
  [/\bcount\s*\(\s*(?=[a-z])/giu, 'count(DISTINCT '],
  [/\bLEFT\s+JOIN\b/giu, 'JOIN'],
  [/(?<!LEFT |RIGHT |FULL )\bJOIN\b/giu, 'LEFT JOIN'],
  [/\bINTERSECT\b/giu, 'UNION', 'EXCEPT'],
  [/\bEXCEPT\b/giu, 'INTERSECT', 'UNION'],
  [/\bUNION\b(?! ALL)/giu, 'UNION ALL'],
  [/\bNOT IN\b/giu, 'IN'],
  [/(?<!NOT )\bIN\b(?=\s*\()/giu, 'NOT IN'],
  [/\bAND\b/giu, 'OR'],
  [/\bOR\b/giu, 'AND'],
  [/\bDESC\b/giu, 'ASC'],
  [/\bASC\b/giu, 'DESC'],
  [/\s+LIMIT\s+1\b/giu, ' LIMIT 2', ''],
  [/\s+GROUP\s+BY\s+[\w.]+/giu, ''],
  [/\s+HAVING\s+.*?(?=ORDER|LIMIT|INTERSECT|UNION|EXCEPT|\)|$)/giu, ' '],
  [/>=/gu, '>', '<='],
  [/<=/gu, '<', '>='],
  [/(?<![<>!=])=(?!=)/gu, '<>', '<='],
  [/(?<![<=])>(?!=)/gu, '>=', '<'],
  [/(?<!=)<(?![=>])/gu, '<=', '>'],
  [/\b\d+\b/gu, (digits) => String(Number(digits) + 1)],
  [/\bT1\./gu, 'T2.'],
  [/\bT2\./gu, 'T1.'],
]
