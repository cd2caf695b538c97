/** An edge from a left node to a right one, by their indexes. */
export interface Edge {
  readonly left: number
  readonly right: number
}

/**
 * How often each edge is used in a largest matching of nodes that stand for several equal rows each: maximum flow
 * by Dinic's algorithm, which on capacities of 1 is Hopcroft and Karp's matching. Depth-first search by a stack,
 * so that long paths do not overflow.
 */
export function largestMatching(
  left: readonly number[],
  right: readonly number[],
  edges: readonly Edge[],
): readonly number[] {
  const source = left.length + right.length
  const sink = source + 1
  const graph = createGraph(sink + 1)
  for (const edge of edges) {
    const capacity = Math.min(left[edge.left] ?? 0, right[edge.right] ?? 0)
    graph.connect(edge.left, left.length + edge.right, capacity)
  }
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
  return edges.map((_, index) => graph.capacities[2 * index + 1] ?? 0)
}

interface Graph {
  readonly capacities: number[]
  connect(from: number, to: number, capacity: number): void
  /** Distance of each node from the source over edges with capacity left, -1 where there is no way. */
  levels(source: number): Int32Array
  /** Pushes flow along shortest ways until none is left. */
  block(source: number, sink: number, levels: Int32Array): void
}

function createGraph(nodes: number): Graph {
  const targets: number[] = []
  const capacities: number[] = []
  const outgoing: number[][] = Array.from({ length: nodes }, () => [])
  const at = (list: ArrayLike<number>, index: number): number => list[index] ?? 0

  function connect(from: number, to: number, capacity: number): void {
    outgoing[from]?.push(targets.length)
    targets.push(to)
    capacities.push(capacity)
    outgoing[to]?.push(targets.length)
    targets.push(from)
    capacities.push(0)
  }

  function levels(source: number): Int32Array {
    const found = new Int32Array(nodes).fill(-1)
    found[source] = 0
    const queue = [source]
    for (const node of queue) {
      for (const edge of outgoing[node] ?? []) {
        const target = at(targets, edge)
        if (at(capacities, edge) === 0 || found[target] !== -1) continue
        found[target] = at(found, node) + 1
        queue.push(target)
      }
    }
    return found
  }

  function block(source: number, sink: number, found: Int32Array): void {
    const next = new Int32Array(nodes)
    const path: number[] = []
    let node = source
    while (true) {
      if (node === sink) {
        const flow = Math.min(...path.map((edge) => at(capacities, edge)))
        for (const edge of path) {
          capacities[edge] = at(capacities, edge) - flow
          capacities[edge ^ 1] = at(capacities, edge ^ 1) + flow
        }
        path.length = 0
        node = source
        continue
      }
      const edge = outgoing[node]?.[at(next, node)]
      if (edge === undefined) {
        const back = path.pop()
        if (back === undefined) return
        node = at(targets, back ^ 1)
        next[node] = at(next, node) + 1
      } else if (at(capacities, edge) > 0 && at(found, at(targets, edge)) === at(found, node) + 1) {
        path.push(edge)
        node = at(targets, edge)
      } else next[node] = at(next, node) + 1
    }
  }

  return { capacities, connect, levels, block }
}
