import type { LeafNode } from '../normalize/join-pool.js'

/** More orders of self-joined tables than this are not tried: the one in the text is taken. */
const maxOrders = 720

/** A name for each table of a SELECT, by its place in `identities`. */
export type Labeling = readonly string[]

/**
 * The names that the tables of a SELECT can have in its canonical form: what is read once has one name. The
 * roles of a table that is joined with itself are numbered, in every order; the caller keeps the order whose
 * print sorts first, so that the order and the aliases in the text do not matter.
 */
export function enumerateLabelings(
  nodes: readonly LeafNode[],
  identities: readonly string[],
): readonly Labeling[] {
  const names = baseNames(nodes, identities)
  const groups = new Map<string, number[]>()
  names.forEach((name, at) => {
    groups.set(name, [...(groups.get(name) ?? []), at])
  })
  const roles = [...groups].filter(([, places]) => places.length > 1)
  const count = roles.reduce((product, [, places]) => product * factorial(places.length), 1)
  return roles.reduce<Labeling[]>(
    (done, [name, places]) => {
      const orders = count > maxOrders ? [places] : permutations(places)
      return done.flatMap((labels) => orders.map((order) => numbered(labels, name, order)))
    },
    [names],
  )
}

function numbered(labels: Labeling, name: string, order: readonly number[]): Labeling {
  const next = [...labels]
  order.forEach((place, number) => {
    next[place] = `${name}#${number + 1}`
  })
  return next
}

/** The last part of a table's name where that tells it from the others; derived tables by number. */
function baseNames(nodes: readonly LeafNode[], identities: readonly string[]): string[] {
  const distinct = [...new Set(identities)].sort()
  const short = (at: number): string => (nodes[at]?.kind === 'table' ? lastPart(identities[at] ?? '') : '')
  const owners = new Map<string, Set<string>>()
  identities.forEach((identity, at) => {
    owners.set(short(at), (owners.get(short(at)) ?? new Set()).add(identity))
  })
  const derived = distinct.filter((identity) => nodes[identities.indexOf(identity)]?.kind !== 'table')
  return identities.map((identity, at) => {
    if (nodes[at]?.kind !== 'table') {
      return derived.length === 1 ? '<subquery>' : `<subquery ${derived.indexOf(identity) + 1}>`
    }
    return owners.get(short(at))?.size === 1 ? short(at) : identity
  })
}

/** `orders` of `commerce.orders`; a quoted part may hold dots. */
function lastPart(table: string): string {
  return /(?:^|\.)("(?:[^"]|"")*"|[^".]*)$/u.exec(table)?.[1] ?? table
}

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1)
}

function permutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  )
}
