import type { SqlToken } from '../../../../../sql/index.js'
import { foldedName, type TokenRange } from '../../model/token-ranges.js'
import { sqlKeywords } from '../rules/term-reader.js'
import type { QueryText, ScopeSource, SelectScope } from './query-scopes.js'

/** A column as a query names it. */
export interface ColumnReference {
  /** Indexes of its tokens, qualifier included. */
  readonly range: TokenRange
  readonly qualifier: string | undefined
  readonly column: string
}

/** Returns the columns that a range of a query names. */
export function columnsIn(tokens: readonly SqlToken[], { from, to }: TokenRange): ColumnReference[] {
  const found: ColumnReference[] = []
  for (let at = from; at < to; at++) {
    if (!isName(tokens[at]) || tokens[at - 1]?.text === '.') continue
    let last = at
    while (last + 2 < to && tokens[last + 1]?.text === '.' && isName(tokens[last + 2], true)) last += 2
    if (tokens[last + 1]?.text !== '(') {
      const qualifier = last === at ? undefined : foldedName(tokens[last - 2])
      found.push({ range: { from: at, to: last + 1 }, qualifier, column: foldedName(tokens[last]) })
    }
    at = last
  }
  return found
}

function isName(token: SqlToken | undefined, isQualified = false): boolean {
  if (token?.kind === 'quoted') return true
  return token?.kind === 'word' && (isQualified || !sqlKeywords.has(token.value))
}

/** Returns the source that a column comes from; undefined if that cannot be told. */
export function sourceOfColumn(
  { qualifier, column }: Pick<ColumnReference, 'qualifier' | 'column'>,
  { sources }: SelectScope,
): ScopeSource | undefined {
  if (qualifier !== undefined) return sources.find(({ name }) => name === qualifier)
  if (sources.length === 1) return sources[0]
  const having = sources.filter(({ columns }) => columns?.has(column) === true)
  return having.length === 1 ? having[0] : undefined
}

/**
 * Writes a range of one query as it would be written in a SELECT of another: each column under the name that its table
 * has there. Undefined where a column has no counterpart.
 */
export function carry(
  from: QueryText,
  scope: SelectScope,
  range: TokenRange,
  target: SelectScope,
): string | undefined {
  const { tokens, text } = from
  let written = ''
  let at = tokens[range.from]?.start ?? 0
  const aliases = outputNames(from, scope)
  for (const reference of columnsIn(tokens, range)) {
    const own = sourceOfColumn(reference, scope)
    // A name of the query's own outputs, or of a query around it.
    if (own === undefined && reference.qualifier === undefined && aliases.has(reference.column)) continue
    const name = counterpart(reference, own, target)
    if (name === undefined) return undefined
    const [first, last] = [tokens[reference.range.from], tokens[reference.range.to - 1]]
    if (first === undefined || last === undefined) return undefined
    const isBare = target.sources.length === 1 && !isQualified(target, name)
    written += text.slice(at, first.start) + (isBare || name === '' ? last.text : `${name}.${last.text}`)
    at = last.end
  }
  const end = tokens[range.to - 1]?.end ?? at
  return (written + text.slice(at, end)).replaceAll(/\s+/gu, ' ')
}

/** Returns the name of the target's source that has the column. */
function counterpart(
  { column }: ColumnReference,
  own: ScopeSource | undefined,
  { sources }: SelectScope,
): string | undefined {
  const same = sources.filter(({ table }) => table !== undefined && table === own?.table)
  const having = sources.filter(({ columns }) => columns?.has(column) === true)
  const [found] =
    same.length > 0 ? same : having.length > 0 ? having : sources.filter((one) => one.columns === undefined)
  return found?.name
}

/** Whether the only source of a SELECT has a name of its own, by which its author qualifies columns. */
function isQualified({ sources: [only] }: SelectScope, name: string): boolean {
  return only?.source.alias === undefined && name === ''
}

function outputNames({ tokens }: QueryText, { select }: SelectScope): ReadonlySet<string> {
  return new Set((select.clauses.get('select')?.items ?? []).map(({ to }) => foldedName(tokens[to - 1])))
}
