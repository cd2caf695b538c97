import type { Select } from '../../model/sql-clauses.js'
import type { TokenRange } from '../../model/token-ranges.js'
import { matchesAt } from './name-substitution.js'
import { type Projection, projectionsOf } from './projections.js'
import type { NamedExpression, Scope } from './query-scope.js'
import { rewriteTerms, similarity } from './rewrite-terms.js'
import { type Alignment, type InlinedSubquery, recordDifference } from './snippet-alignment.js'
import { syntheticTerm, type Term } from './sql-term.js'
import { writeTerms } from './sql-writer.js'
import { readTerms } from './term-reader.js'

/** The context that a sub-query of the snippet is compared in. */
export interface OuterQuery {
  /** The range of the snippet around it, and how names are resolved there. */
  readonly range: TokenRange
  readonly scope: Scope
  readonly expected: Scope
  readonly expectedSelect: Select
}

/** How many meanings of a name are tried besides the sub-query's own. */
const mostMeanings = 3

/**
 * Returns the names that a sub-query gives to expressions, with their counterparts in the expected query. If
 * a counterpart differs from the sub-query's expression, as the terms around its uses show, it is recorded as
 * a difference.
 */
export function namedOutputs(
  alignment: Alignment,
  part: InlinedSubquery,
  around: OuterQuery,
): NamedExpression[] {
  const uses = readTerms(alignment.snippet, around.range, around.scope, alignment.values)
  const theirs = expectedTerms(alignment, around)
  const list = part.select.clauses.get('select')
  const projections = projectionsOf(alignment, alignment.snippet, part.place.snippet, list)
  const isUse = (term: Term, name: string): boolean =>
    term.kind === 'name' &&
    term.key === name &&
    (term.qualifier === undefined || term.qualifier === part.source.id)
  const named = new Map<Projection, NamedExpression>()
  const used = projections.filter(({ alias }) => uses.some((term) => isUse(term, alias ?? '')))
  const told = projections.filter(({ terms }) => theirs.some((_, index) => matchesAt(terms, theirs, index)))
  for (const projection of [...used, ...told.filter((each) => !used.includes(each))]) {
    const name = projection.alias ?? ''
    const meanings = candidateMeanings(uses, (term) => isUse(term, name), theirs, projection.terms).filter(
      (meaning) => !told.some(({ terms }) => sameLength(terms, meaning) && matchesAt(terms, meaning, 0)),
    )
    const own = told.includes(projection) ? [projection.terms] : []
    const options = [...own, ...meanings.slice(0, mostMeanings)]
    const key = `output:${projection.terms[0]?.start ?? 0}`
    const terms = options[options.length > 1 ? alignment.choose(key, options.length, own.length + 1) : 0]
    if (terms === undefined || !terms.some(({ kind }) => kind === 'name')) continue
    named.set(projection, namedAs(alignment, part, projection, name, terms))
    if (terms !== projection.terms) recordOutputChange(alignment, part, projection, terms)
  }
  return [...named.values(), ...missingOutputs(alignment, part, around, uses, theirs, projections)]
}

/** Finds a plain column that is used but not returned: the one that is returned but not used should be it. */
function missingOutputs(
  alignment: Alignment,
  part: InlinedSubquery,
  around: OuterQuery,
  uses: readonly Term[],
  theirs: readonly Term[],
  projections: readonly Projection[],
): NamedExpression[] {
  const alone = around.scope.sources.length === 1
  const known = new Set(projections.map(({ alias }) => alias))
  const spare = projections.filter(
    ({ alias, aliasText, terms }) =>
      aliasText === undefined &&
      terms.length === 1 &&
      !uses.some((use) => use.kind === 'name' && use.key === alias),
  )
  const wanted = new Set(
    uses.flatMap((use, index) => {
      const isSource = around.scope.sources.some(({ names }) => names.includes(use.key))
      if (uses[index - 1]?.key === 'as' || isSource) return []
      const ours = use.qualifier === part.source.id || (alone && use.qualifier === undefined)
      return use.kind === 'name' && ours && !known.has(use.key) ? [use.key] : []
    }),
  )
  return [...wanted].flatMap((name): NamedExpression[] => {
    const term = theirs.find(
      (other, index) => other.kind === 'name' && other.key === name && theirs[index - 1]?.key !== 'as',
    )
    if (term === undefined) return []
    const other = (each: Projection): boolean => each.terms[0]?.qualifier !== term.qualifier
    spare.sort((a, b) => Number(other(a)) - Number(other(b)))
    const projection = spare.shift()
    if (projection === undefined) return []
    recordOutputChange(alignment, part, projection, [term])
    return [namedAs(alignment, part, projection, name, [term])]
  })
}

function namedAs(
  alignment: Alignment,
  part: InlinedSubquery,
  projection: Projection,
  name: string,
  terms: readonly Term[],
): NamedExpression {
  const { aliasText } = projection
  const [first, last] = [projection.terms[0], projection.terms.at(-1)]
  const isOwn = terms === projection.terms
  const text = isOwn
    ? alignment.snippet.text.slice(first?.start ?? 0, last?.end ?? 0)
    : writeTerms(alignment, part.place, terms, projection.terms)
  const written = aliasText ?? terms.at(-1)?.text ?? name
  return { name: { ...syntheticTerm('name', written), key: name, qualifier: part.source.id }, terms, text }
}

function recordOutputChange(
  alignment: Alignment,
  part: InlinedSubquery,
  projection: Projection,
  terms: readonly Term[],
): void {
  const changes = rewriteTerms(alignment, part.place, projection.terms, terms)
  const before = projection.terms.map(({ text }) => text).join(' ')
  const after = writeTerms(alignment, part.place, terms, projection.terms)
  recordDifference(
    alignment,
    'select',
    changes,
    `computes ${after} instead of ${before}`,
    `${before} should be ${after}`,
  )
}

/** Returns all terms of the expected SELECT and of its inlined sub-queries. */
function expectedTerms(alignment: Alignment, { expected, expectedSelect }: OuterQuery): Term[] {
  const read = (select: Select, scope: Scope): Term[] => [
    ...readTerms(alignment.expected, select.range, scope, alignment.values),
    ...(scope.views ?? []).flatMap((view) => read(view.select, view.scope)),
  ]
  return read(expectedSelect, expected)
}

/**
 * Returns ranges of the expected query that are surrounded by the same terms as the uses of a name, likeliest
 * first.
 */
function candidateMeanings(
  uses: readonly Term[],
  isUse: (term: Term) => boolean,
  theirs: readonly Term[],
  before: readonly Term[],
): (readonly Term[])[] {
  const found = new Map<string, { terms: readonly Term[]; score: number }>()
  for (const [at, use] of uses.entries()) {
    if (!isUse(use)) continue
    for (const [start] of theirs.entries()) {
      if (start === 0 || !areAlike(uses[at - 1], theirs[start - 1])) continue
      const end = endOf(theirs, start, uses[at + 1])
      if (end === undefined) continue
      const terms = theirs.slice(start, end)
      const key = terms.map((term) => `${term.qualifier ?? ''}.${term.key}`).join(' ')
      const score =
        countAlikeNeighbours(uses, at, theirs, start, -1) +
        countAlikeNeighbours(uses, at, theirs, end - 1, 1) +
        similarity(before, terms)
      if (terms.some(({ kind }) => kind === 'name') && score > (found.get(key)?.score ?? 0)) {
        found.set(key, { terms, score })
      }
    }
  }
  return [...found.values()].sort((a, b) => b.score - a.score).map(({ terms }) => terms)
}

const maxTerms = 16

/** Returns where the range before `next` ends, with all brackets closed. */
function endOf(theirs: readonly Term[], start: number, next: Term | undefined): number | undefined {
  let depth = 0
  for (let index = start; index < Math.min(theirs.length, start + maxTerms); index += 1) {
    const term = theirs[index]
    if (depth === 0 && index > start && areAlike(term, next)) return index
    if (term?.key === '(' || term?.key === 'case') depth += 1
    if (term?.key === ')' || term?.key === 'end') depth -= 1
    if (depth < 0) return undefined
  }
  return next === undefined && depth === 0 && theirs.length - start <= maxTerms ? theirs.length : undefined
}

/** Counts how many consecutive terms are equal on one side. */
function countAlikeNeighbours(
  uses: readonly Term[],
  at: number,
  theirs: readonly Term[],
  position: number,
  step: 1 | -1,
): number {
  let count = 0
  while (count < 4 && areAlike(uses[at + step * (count + 1)], theirs[position + step * (count + 1)]))
    count += 1
  return count
}

function areAlike(ours: Term | undefined, theirs: Term | undefined): boolean {
  if (ours === undefined || theirs === undefined) return false
  if (ours.kind === 'placeholder') return theirs.placeholders.length > 0
  return (
    ours.key === theirs.key ||
    (interchangeableKeywords.has(ours.key) && interchangeableKeywords.has(theirs.key))
  )
}

/** Keywords before a condition, whichever clause it is in. */
const interchangeableKeywords = new Set(['where', 'and', 'on'])

function sameLength(a: readonly Term[], b: readonly Term[]): boolean {
  return a.length === b.length
}
