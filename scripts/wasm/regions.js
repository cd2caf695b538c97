import { code } from './encode.js'

/**
 * The runs of statements of a function that become functions of their own. From each statement on as many of the same
 * sequence as fit; a statement that does not fit itself (the block with a large br_table, a long loop) is looked into.
 *
 * @param root the block that is the function
 * @param source its operators, where each begins in bytes, live locals before each
 */
export function chooseRegions(root, source, { smallest, largest, mostResults }) {
  const regions = []
  const { offsets } = source
  // The blocks around the sequence that is looked at, and the sequence's own.
  const path = []
  const longestFrom = (sequence, first) => {
    const { statements } = sequence
    const all = { exits: 0n, labels: [], written: 0n }
    let longest
    for (let last = first; last < statements.length; last++) {
      const { to, exits, written } = statements[last]
      if (offsets[to] - offsets[statements[first].from] > largest) break
      all.written |= written
      if ((all.exits | exits) !== all.exits) {
        all.exits |= exits
        if (numberOf(all.exits, mostExits) > mostExits) break
        all.labels = labelsIn(all.exits, path)
      }
      const region = regionOf(sequence, statements[first].from, to, all, source.live)
      if (region !== undefined && resultsOf(region) <= mostResults) longest = { region, next: last + 1 }
    }
    return longest
  }
  const choose = (sequence) => {
    path.length = sequence.block.depth
    path.push(sequence.block)
    let at = 0
    while (at < sequence.statements.length) {
      const longest = longestFrom(sequence, at)
      if (longest !== undefined && offsets[longest.region.to] - offsets[longest.region.from] >= smallest) {
        regions.push(longest.region)
        at = longest.next
        continue
      }
      if (longest === undefined)
        for (const block of sequence.statements[at].blocks) for (const inner of block.sequences) choose(inner)
      at++
    }
  }
  for (const sequence of root.sequences) choose(sequence)
  return regions
}

/**
 * The insides of blocks to whose end many branches lead, which return from a function of its own instead: V8 takes
 * memory for each of these branches times each value that is known at one of them (V8 13.6, Node 24).
 */
export function wideRegions(root, { live }, { mostResults, widest }) {
  const regions = []
  const look = (block) => {
    for (const sequence of block.sequences) {
      const region = block.arrivals > widest ? wholeOf(sequence, live) : undefined
      if (region !== undefined && resultsOf(region) <= mostResults) regions.push(region)
      else for (const { blocks } of sequence.statements) blocks.forEach(look)
    }
  }
  look(root)
  return regions
}

function wholeOf(sequence, live) {
  const { statements, to, block } = sequence
  if (block.depth === 0 || block.kind !== code.block) return undefined
  const exits = statements.reduce((all, statement) => all | statement.exits, 0n)
  if (numberOf(exits, mostExits) > mostExits) return undefined
  const labels = labelsIn(exits, pathTo(block))
  return regionOf(sequence, statements[0].from, to, { labels, written: block.written }, live)
}

/** Where control goes is one number, however many places there are; a table of so many branches is what is split. */
const mostExits = 8

/** @returns undefined where blocks that the region leaves to take different values */
function regionOf(sequence, from, to, { labels, written }, live) {
  const { block, isEnded } = sequence
  const isAtEnd = to === sequence.to
  const falls = !(isAtEnd && isEnded)
  const exits = labels.map((label) => ({
    label,
    values: label.kind === code.loop ? [] : label.values,
  }))
  if (falls) {
    // The end of the region is the first exit: one of its own, or the end of the block that a branch goes to as well.
    const isEndOf = ({ label }) => isAtEnd && label === block && block.kind !== code.loop
    const same = exits.findIndex(isEndOf)
    const [end] =
      same === -1 ? [{ label: undefined, values: isAtEnd ? block.values : [] }] : exits.splice(same, 1)
    exits.unshift(end)
  }
  const slots = exits.find(({ values }) => values.length > 0)?.values ?? []
  if (exits.some(({ values }) => values.length > 0 && values.join() !== slots.join())) return undefined
  const later = exits.reduce((all, { label }) => all | liveFrom(label, live), falls ? live[to] : 0n)
  const kept = written & later
  return { block, from, to, exits, falls, slots, kept }
}

/** The blocks of some depths, the inner ones first, of the blocks around a place, the function first. */
function labelsIn(depths, path) {
  const labels = []
  for (let rest = depths; rest > 0n; rest &= rest - 1n)
    labels.unshift(path[(rest & -rest).toString(2).length - 1])
  return labels
}

function pathTo(block) {
  return block === undefined ? [] : [...pathTo(block.parent), block]
}

/** How many values a region gives: those of a block, the number of the exit, locals. */
function resultsOf({ exits, slots, kept }) {
  return slots.length + (exits.length > 1 ? 1 : 0) + numberOf(kept)
}

/** How many bits are set, counted up to one more than a limit. */
function numberOf(set, limit = Number.POSITIVE_INFINITY) {
  let count = 0
  for (let rest = set; rest > 0n && count <= limit; rest &= rest - 1n) count++
  return count
}

/** The locals that are read after a branch to a block: after its end, or from where a loop begins. */
function liveFrom(label, live) {
  if (label === undefined) return 0n
  if (label.kind === code.loop) return live[label.start + 1]
  return live[label.end + 1] ?? 0n
}
