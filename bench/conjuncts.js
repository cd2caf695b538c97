/**
 * Conjuncts of every WHERE and HAVING with their place: `remove` is the range whose removal drops one with its AND
 * (a lone one goes with its WHERE), `from` and `to` index its tokens, end exclusive.
 */
export function* conjunctsOf(tokens) {
  let clause
  const ends = new Set(['GROUP', 'ORDER', 'HAVING', 'LIMIT', 'UNION', 'QUALIFY', 'WINDOW'])
  const stack = []
  for (const [index, token] of tokens.entries()) {
    const word = token.kind === 'word' ? token.text.toUpperCase() : token.text
    if (word === '(') {
      stack.push(clause)
      clause = undefined
    } else if (word === ')') {
      if (clause) yield* close(clause, index)
      clause = stack.pop()
    } else if (word === 'WHERE' || word === 'HAVING') {
      if (clause) yield* close(clause, index)
      clause = { start: index, items: [[index + 1]] }
    } else if (clause && ends.has(word)) {
      yield* close(clause, index)
      clause = undefined
    } else if (clause && word === 'BETWEEN') clause.between = true
    else if (clause && word === 'AND') {
      if (clause.between) clause.between = false
      else {
        clause.items.at(-1)[1] = index
        clause.items.push([index + 1])
      }
    }
  }
  if (clause) yield* close(clause, tokens.length)
  function* close({ start, items }, end) {
    items.at(-1)[1] = end
    for (const [i, [from, to]] of items.entries()) {
      const label = tokens
        .slice(from, to)
        .map((one) => one.text)
        .join(' ')
      const only = items.length === 1
      const remove = only
        ? [tokens[start].start, tokens[to - 1].end]
        : i === 0
          ? [tokens[from].start, tokens[to + 1].start]
          : [tokens[items[i - 1][1] - 1].end, tokens[to - 1].end]
      yield { from, to, label, remove, and: i > 0 ? items[i - 1][1] : undefined }
    }
  }
}
