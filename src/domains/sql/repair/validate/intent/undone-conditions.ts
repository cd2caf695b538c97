import { canonicalForm, type SqlToken } from '../../../../../sql/index.js'
import type { PreviousVersion } from '../../model/knowledge-history.js'
import { type RepairContext, tokensOf } from '../../model/repair-context.js'
import { conditionsIn } from '../../propose/search/atoms.js'
import { readQueryText } from '../../propose/search/query-scopes.js'
import type { UndoneChange } from './undone-changes.js'

/**
 * Returns the changes that a plan takes back in meaning, newest first, however it writes them: a condition comes back that a change took
 * out, or goes that a change brought in. `NOT x` is `x = FALSE`, a column is the same with another alias, and a condition
 * that is added beside one that says less takes that one back.
 */
export function undoneConditions(
  today: string,
  planned: string,
  versions: readonly PreviousVersion[],
  context: RepairContext,
): UndoneChange[] {
  const known = new Map<string, ReadonlySet<string>>()
  const conditionsOf = (text: string): ReadonlySet<string> => {
    const found = known.get(text) ?? meaningsIn(text, context)
    known.set(text, found)
    return found
  }
  const [now, then] = [conditionsOf(today), conditionsOf(planned)]
  let added = [...then].filter((one) => !now.has(one))
  let removed = [...now].filter((one) => !then.has(one))
  const found: UndoneChange[] = []
  let after = today
  for (const { text: before, by, isDeletion } of versions) {
    if (added.length === 0 && removed.length === 0) break
    if (isDeletion === true) after = ''
    const [had, has] = [conditionsOf(before), conditionsOf(after)]
    const isBack = (one: string): boolean => had.has(one) && !has.has(one)
    const isGone = (one: string): boolean => has.has(one) && !had.has(one)
    if (before !== '' && after !== '' && (added.some(isBack) || removed.some(isGone)))
      found.push({ by, before, after })
    added = added.filter((one) => !isBack(one))
    removed = removed.filter((one) => !isGone(one))
    after = before
  }
  return found
}

/** Returns the conditions of a query, each in a form that is equal for conditions of one meaning. */
function meaningsIn(text: string, { parser, dialect }: RepairContext): ReadonlySet<string> {
  const tokens = tokensOf(text, dialect, parser)
  const query = readQueryText(text, tokens, undefined)
  const ranges = query?.scopes.flatMap((scope) => conditionsIn(query, scope)) ?? []
  return new Set(
    ranges.map(({ range }) => {
      const written = unqualified(tokens.slice(range.from, range.to))
      const plain = withoutComparedTruth(written)
      return canonicalForm(parser, `SELECT 1 FROM t WHERE ${plain}`, dialect) ?? plain
    }),
  )
}

/** Writes a condition without the names of relations; placeholders become texts. */
function unqualified(tokens: readonly SqlToken[]): string {
  return tokens
    .filter(({ text }, at) => text !== '.' && (tokens[at + 1]?.text !== '.' || tokens[at]?.kind === 'symbol'))
    .map(({ kind, text, value }) => (kind === 'placeholder' ? `'{{${value}}}'` : text))
    .join(' ')
}

/** Writes `x = FALSE`, `x = 0` and `x <> TRUE` as `NOT x`, and `x = TRUE` as `x`: what a flag is compared with is a matter of style. */
function withoutComparedTruth(condition: string): string {
  const found = /^(?<name>[\w"`]+) (?<sign>=|==|<>|!=|IS) (?<value>TRUE|FALSE|0|1)$/iu.exec(condition)?.groups
  if (found === undefined) return condition
  const isTrue = /^(?:TRUE|1)$/iu.test(found['value'] ?? '')
  const isEqual = !/^(?:<>|!=)$/u.test(found['sign'] ?? '')
  return isTrue === isEqual ? (found['name'] ?? '') : `NOT ${found['name']}`
}
