import { changedText, inserted, type TextChange } from '../../text/text-changes.js'
import type { SqlToken } from '../tokens.js'

/** The call that stands around a subquery which is an operand; reading the tree takes it off again. */
export const operandMark = '_subquery_operand_'

/** Whether a set operation follows a closing bracket anywhere, so that the tokens are worth a look. */
export function mayEndInSubquery(sql: string): boolean {
  return /\)(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:union|except|intersect|minus)\b/iu.test(sql)
}

/**
 * The text with a mark around each subquery that is an operand and has a set operation after it. The library takes
 * `x > (SELECT 1) UNION SELECT 2` for a comparison with a union, and `FROM (SELECT 1) UNION SELECT 2` for a
 * union in FROM; the set operation belongs to the SELECT that the subquery is an operand in.
 */
export function markSubqueryOperands(sql: string, tokens: readonly SqlToken[]): string {
  const changes = tokens.flatMap((token, at): readonly TextChange[] => {
    const open = token.text === ')' && isSetOperation(tokens[at + 1]) ? openOf(tokens, at) : undefined
    const opening = open === undefined ? undefined : tokens[open]
    if (open === undefined || opening === undefined || !isQuery(tokens, open)) return []
    const before = tokens[open - 1]
    if (before === undefined || isWholeQueryAfter(tokens, open - 1)) return []
    return isInFrom(tokens, open)
      ? [inserted(token.end, ` AS ${operandMark}`)]
      : [inserted(opening.start, `${operandMark}(`), inserted(token.end, ')')]
  })
  return changedText(sql, changes)
}

const setOperations: ReadonlySet<string> = new Set(['UNION', 'EXCEPT', 'INTERSECT', 'MINUS'])

function isSetOperation(token: SqlToken | undefined): boolean {
  return token?.kind === 'word' && setOperations.has(token.value)
}

/** Index of the bracket that the one at `close` closes. */
function openOf(tokens: readonly SqlToken[], close: number): number | undefined {
  let depth = 0
  for (let at = close; at >= 0; at--) {
    const text = tokens[at]?.text
    if (text === ')') depth++
    if (text === '(' && --depth === 0) return at
  }
  return undefined
}

function isQuery(tokens: readonly SqlToken[], open: number): boolean {
  let at = open
  while (tokens[at]?.text === '(') at++
  const first = tokens[at]
  return first?.kind === 'word' && /^(?:SELECT|WITH|VALUES|FROM)$/u.test(first.value)
}

/** Words after which a query in brackets is no operand, or one that the library reads as it should. */
const beforeQueries: ReadonlySet<string> = new Set([
  ...setOperations,
  ...['ALL', 'ANY', 'SOME', 'IN', 'EXISTS', 'AS', 'MATERIALIZED', 'NAME', 'CORRESPONDING'],
])

/** Whether the brackets after this token hold a query that a set operation combines as it is. */
function isWholeQueryAfter(tokens: readonly SqlToken[], at: number): boolean {
  const token = tokens[at]
  if (token?.text === '(' || token?.text === ')') return true
  if (token?.kind !== 'word') return false
  return token.value === 'DISTINCT'
    ? isSetOperation(tokens[at - 1])
    : token.value !== 'ALL' || tokens[at - 1]?.value !== 'SELECT'
      ? beforeQueries.has(token.value)
      : false
}

const clauses: ReadonlySet<string> = new Set([
  ...['SELECT', 'FROM', 'JOIN', 'ON', 'WHERE', 'GROUP', 'HAVING', 'QUALIFY', 'WINDOW', 'ORDER', 'LIMIT'],
  ...['OFFSET', 'USING'],
])

/** Whether the bracket stands where a table belongs: the last clause that begins at its depth is FROM or JOIN. */
function isInFrom(tokens: readonly SqlToken[], open: number): boolean {
  let depth = 0
  for (let at = open - 1; at >= 0; at--) {
    const token = tokens[at]
    if (token?.text === ')') depth++
    if (token?.text === '(' && --depth < 0) return false
    if (depth === 0 && token?.kind === 'word' && clauses.has(token.value))
      return token.value === 'FROM' || token.value === 'JOIN'
  }
  return false
}
