import { type Alignment, type Part, report } from './alignment.js'
import type { Select } from './clauses.js'
import { standsAt } from './named.js'
import { type Projection, projectionsOf } from './projections.js'
import { rewrite, similarity } from './rewrite.js'
import type { Range } from './scan.js'
import type { Named, Scope } from './scope.js'
import { madeUp, type Term } from './term.js'
import { readTerms } from './terms.js'
import { writeTerms } from './write.js'

/** What a sub-query of the snippet is compared with. */
export interface Surroundings {
  /** The stretch of the snippet around it, and how names are resolved there. */
  readonly range: Range
  readonly scope: Scope
  readonly expected: Scope
  readonly expectedSelect: Select
}

/** Meanings tried for a name besides what the sub-query says. */
const mostMeanings = 3

/**
 * The names that a sub-query gives to expressions, with what they stand for in the expected query. Where that is
 * something else than the sub-query says, as the terms around its uses show, it is noted as a difference.
 */
export function namedBy(alignment: Alignment, part: Part, around: Surroundings): Named[] {
  const uses = readTerms(alignment.snippet, around.range, around.scope, alignment.values)
  const theirs = expectedTerms(alignment, around)
  const list = part.select.clauses.get('select')
  const projections = projectionsOf(alignment, alignment.snippet, part.place.snippet, list)
  const isUse = (term: Term, name: string): boolean =>
    term.kind === 'name' &&
    term.key === name &&
    (term.qualifier === undefined || term.qualifier === part.source.id)
  const named = new Map<Projection, Named>()
  const used = projections.filter(({ alias }) => uses.some((term) => isUse(term, alias ?? '')))
  const told = projections.filter(({ terms }) => theirs.some((_, index) => standsAt(terms, theirs, index)))
  for (const projection of [...used, ...told.filter((each) => !used.includes(each))]) {
    const name = projection.alias ?? ''
    const meanings = meaningsOf(uses, (term) => isUse(term, name), theirs, projection.terms).filter(
      (meaning) => !told.some(({ terms }) => sameLength(terms, meaning) && standsAt(terms, meaning, 0)),
    )
    const own = told.includes(projection) ? [projection.terms] : []
    const options = [...own, ...meanings.slice(0, mostMeanings)]
    const key = `output:${projection.terms[0]?.start ?? 0}`
    const terms = options[options.length > 1 ? alignment.pick(key, options.length, own.length + 1) : 0]
    if (terms === undefined || !terms.some(({ kind }) => kind === 'name')) continue
    named.set(projection, namedAs(alignment, part, projection, name, terms))
    if (terms !== projection.terms) change(alignment, part, projection, terms)
  }
  return [...named.values(), ...missing(alignment, part, around, uses, theirs, projections)]
}

/** A plain column that is used and not given out: the one that is given out and not used should be it. */
function missing(
  alignment: Alignment,
  part: Part,
  around: Surroundings,
  uses: readonly Term[],
  theirs: readonly Term[],
  projections: readonly Projection[],
): Named[] {
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
  return [...wanted].flatMap((name): Named[] => {
    const term = theirs.find(
      (other, index) => other.kind === 'name' && other.key === name && theirs[index - 1]?.key !== 'as',
    )
    if (term === undefined) return []
    const other = (each: Projection): boolean => each.terms[0]?.qualifier !== term.qualifier
    spare.sort((a, b) => Number(other(a)) - Number(other(b)))
    const projection = spare.shift()
    if (projection === undefined) return []
    change(alignment, part, projection, [term])
    return [namedAs(alignment, part, projection, name, [term])]
  })
}

function namedAs(
  alignment: Alignment,
  part: Part,
  projection: Projection,
  name: string,
  terms: readonly Term[],
): Named {
  const { aliasText } = projection
  const [first, last] = [projection.terms[0], projection.terms.at(-1)]
  const isOwn = terms === projection.terms
  const text = isOwn
    ? alignment.snippet.text.slice(first?.start ?? 0, last?.end ?? 0)
    : writeTerms(alignment, part.place, terms, projection.terms)
  const written = aliasText ?? terms.at(-1)?.text ?? name
  return { name: { ...madeUp('name', written), key: name, qualifier: part.source.id }, terms, text }
}

function change(alignment: Alignment, part: Part, projection: Projection, terms: readonly Term[]): void {
  const changes = rewrite(alignment, part.place, projection.terms, terms)
  const before = projection.terms.map(({ text }) => text).join(' ')
  const after = writeTerms(alignment, part.place, terms, projection.terms)
  report(
    alignment,
    'select',
    changes,
    `computes ${after} instead of ${before}`,
    `${before} should be ${after}`,
  )
}

/** All terms of the expected SELECT and of the sub-queries that are read as part of it. */
function expectedTerms(alignment: Alignment, { expected, expectedSelect }: Surroundings): Term[] {
  const read = (select: Select, scope: Scope): Term[] => [
    ...readTerms(alignment.expected, select.range, scope, alignment.values),
    ...(scope.views ?? []).flatMap((view) => read(view.select, view.scope)),
  ]
  return read(expectedSelect, expected)
}

/** Stretches of the expected query that stand between the same terms as the uses of a name, likeliest first. */
function meaningsOf(
  uses: readonly Term[],
  isUse: (term: Term) => boolean,
  theirs: readonly Term[],
  before: readonly Term[],
): (readonly Term[])[] {
  const found = new Map<string, { terms: readonly Term[]; score: number }>()
  for (const [at, use] of uses.entries()) {
    if (!isUse(use)) continue
    for (const [start] of theirs.entries()) {
      if (start === 0 || !alike(uses[at - 1], theirs[start - 1])) continue
      const end = endOf(theirs, start, uses[at + 1])
      if (end === undefined) continue
      const terms = theirs.slice(start, end)
      const key = terms.map((term) => `${term.qualifier ?? ''}.${term.key}`).join(' ')
      const score =
        nearby(uses, at, theirs, start, -1) + nearby(uses, at, theirs, end - 1, 1) + similarity(before, terms)
      if (terms.some(({ kind }) => kind === 'name') && score > (found.get(key)?.score ?? 0)) {
        found.set(key, { terms, score })
      }
    }
  }
  return [...found.values()].sort((a, b) => b.score - a.score).map(({ terms }) => terms)
}

const longest = 16

/** Where the stretch ends in front of `next`, brackets closed. */
function endOf(theirs: readonly Term[], start: number, next: Term | undefined): number | undefined {
  let depth = 0
  for (let index = start; index < Math.min(theirs.length, start + longest); index += 1) {
    const term = theirs[index]
    if (depth === 0 && index > start && alike(term, next)) return index
    if (term?.key === '(' || term?.key === 'case') depth += 1
    if (term?.key === ')' || term?.key === 'end') depth -= 1
    if (depth < 0) return undefined
  }
  return next === undefined && depth === 0 && theirs.length - start <= longest ? theirs.length : undefined
}

/** How many terms in a row are alike on one side. */
function nearby(
  uses: readonly Term[],
  at: number,
  theirs: readonly Term[],
  position: number,
  step: 1 | -1,
): number {
  let count = 0
  while (count < 4 && alike(uses[at + step * (count + 1)], theirs[position + step * (count + 1)])) count += 1
  return count
}

function alike(ours: Term | undefined, theirs: Term | undefined): boolean {
  if (ours === undefined || theirs === undefined) return false
  if (ours.kind === 'placeholder') return theirs.placeholders.length > 0
  return ours.key === theirs.key || (neighbours.has(ours.key) && neighbours.has(theirs.key))
}

/** What stands around a condition, whichever it is. */
const neighbours = new Set(['where', 'and', 'on'])

function sameLength(a: readonly Term[], b: readonly Term[]): boolean {
  return a.length === b.length
}
