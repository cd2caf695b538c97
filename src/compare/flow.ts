/** Edges from left nodes to right ones, by their indexes. */
export interface Edges {
  readonly left: readonly number[]
  readonly right: readonly number[]
  add(left: number, right: number): void
}

export function createEdges(): Edges {
  const [left, right]: [number[], number[]] = [[], []]
  return {
    left,
    right,
    add(from, to) {
      left.push(from)
      right.push(to)
    },
  }
}

/**
 * How often each edge is used in a largest matching of nodes that stand for several equal rows each: maximum flow
 * by Dinic's algorithm, which on capacities of 1 is Hopcroft and Karp's matching. Depth-first search by a stack,
 * so that long paths do not overflow.
 */
export function largestMatching(left: readonly number[], right: readonly number[], edges: Edges): Int32Array {
  const source = left.length + right.length
  const sink = source + 1
  const graph = createGraph(sink + 1, edges.left.length + source)
  edges.left.forEach((from, index) => {
    const to = edges.right[index] ?? 0
    graph.connect(from, left.length + to, Math.min(left[from] ?? 0, right[to] ?? 0))
  })
  left.forEach((capacity, node) => {
    graph.connect(source, node, capacity)
  })
  right.forEach((capacity, node) => {
    graph.connect(left.length + node, sink, capacity)
  })
  for (let levels = graph.levels(source); levels[sink] !== -1; levels = graph.levels(source)) {
    graph.block(source, sink, levels)
  }
  // The backward half of an edge has gained what flows through it; halves lie side by side, input edges first.
  return Int32Array.from(edges.left, (_, index) => graph.capacities[2 * index + 1] ?? 0)
}

interface Graph {
  readonly capacities: Int32Array
  connect(from: number, to: number, capacity: number): void
  /** Distance of each node from the source over edges with capacity left, -1 where there is no way. */
  levels(source: number): Int32Array
  /** Pushes flow along shortest ways until none is left. */
  block(source: number, sink: number, levels: Int32Array): void
}

/** Edges that leave a node are a list: the first one, and for each edge the next; -1 ends it. */
function createGraph(nodes: number, edges: number): Graph {
  const targets = new Int32Array(2 * edges)
  const capacities = new Int32Array(2 * edges)
  const following = new Int32Array(2 * edges).fill(-1)
  const first = new Int32Array(nodes).fill(-1)
  let count = 0
  const at = (list: Int32Array, index: number): number => list[index] ?? 0

  function half(from: number, to: number, capacity: number): void {
    targets[count] = to
    capacities[count] = capacity
    following[count] = at(first, from)
    first[from] = count++
  }

  function levels(source: number): Int32Array {
    const found = new Int32Array(nodes).fill(-1)
    const queue = new Int32Array(nodes)
    found[source] = 0
    queue[0] = source
    for (let read = 0, written = 1; read < written; read++) {
      const node = at(queue, read)
      for (let edge = at(first, node); edge !== -1; edge = at(following, edge)) {
        const target = at(targets, edge)
        if (at(capacities, edge) === 0 || found[target] !== -1) continue
        found[target] = at(found, node) + 1
        queue[written++] = target
      }
    }
    return found
  }

  function block(source: number, sink: number, found: Int32Array): void {
    const next = first.slice()
    const path: number[] = []
    let node = source
    while (true) {
      if (node === sink) {
        const flow = path.reduce((least, edge) => Math.min(least, at(capacities, edge)), 2 ** 31 - 1)
        for (const edge of path) {
          capacities[edge] = at(capacities, edge) - flow
          capacities[edge ^ 1] = at(capacities, edge ^ 1) + flow
        }
        path.length = 0
        node = source
        continue
      }
      const edge = at(next, node)
      if (edge === -1) {
        const back = path.pop()
        if (back === undefined) return
        node = at(targets, back ^ 1)
        next[node] = at(following, at(next, node))
      } else if (at(capacities, edge) > 0 && at(found, at(targets, edge)) === at(found, node) + 1) {
        path.push(edge)
        node = at(targets, edge)
      } else next[node] = at(following, edge)
    }
  }

  return {
    capacities,
    connect(from, to, capacity) {
      half(from, to, capacity)
      half(to, from, 0)
    },
    levels,
    block,
  }
}
