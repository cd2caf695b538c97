import type { Dialect } from '../../enums/dialect.js'
import { labelledPart, textLiteral, textLiteralValue } from '../functions/function-table.js'
import { normalizeLike } from '../normalize/like.js'
import type { Assumptions } from '../relational/assumptions.js'
import { apply, type Expression } from '../shape/query-shape.js'

/** Dialects in which a backslash takes its meaning from the wildcard after it; elsewhere only ESCAPE names such a mark. */
const escapesByBackslash: ReadonlySet<Dialect> = new Set([
  'postgres',
  'redshift',
  'mysql',
  'spark',
  'bigquery',
])

/**
 * LIKE of queries in two dialects with patterns in one spelling: `a\_b` for `a!_b` with ESCAPE '!', and `a\\b` for the
 * `a\b` of dialects where a backslash is a mark like others. Patterns that are not written out are taken to have none.
 */
export function normalizeLikeEscapes(
  expression: Expression & { kind: 'apply' },
  { dialect, other }: { readonly dialect: Dialect; readonly other: Dialect },
  assumptions: Assumptions,
): Expression {
  const { op, args } = expression
  if (op !== 'like' && op !== 'i_like') return expression
  const sign = labelledPart(args, 'escape')
  const isPlain = sign === undefined
  const [value, pattern] = isPlain ? args : [labelledPart(args, 'left'), labelledPart(args, 'right')]
  if (value === undefined || pattern === undefined || args.length !== (isPlain ? 2 : 3)) return expression
  const written = textLiteralValue(pattern)
  const mark = isPlain ? (escapesByBackslash.has(dialect) ? '\\' : '') : textLiteralValue(sign)
  if (written !== undefined && mark !== undefined) {
    const spelled = withBackslashes(written, mark)
    return isPlain && spelled === written
      ? expression
      : normalizeLike(apply(op, value, textLiteral(spelled)), dialect, true)
  }
  const isOneReading = escapesByBackslash.has(dialect) === escapesByBackslash.has(other)
  if (!isPlain || isOneReading || assumptions.assume('types', 'no pattern of LIKE has a backslash'))
    return expression
  return { ...expression, op: `${op} of ${dialect}` }
}

/** @param mark what takes a wildcard its meaning; empty where there is nothing that does */
function withBackslashes(pattern: string, mark: string): string {
  let spelled = ''
  const letters = [...pattern]
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] ?? ''
    const next = letters[at + 1]
    if (letter === mark && next !== undefined) {
      spelled += /[%_\\]/u.test(next) ? `\\${next}` : next
      at++
    } else {
      spelled += letter === '\\' ? '\\\\' : letter
    }
  }
  return spelled
}
