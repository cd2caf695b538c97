import type { ParsedFunction } from '../server/protocol.js'

/**
 * Returns functions where they are in a text that cannot be parsed at the moment, as it is being written: each at the line with its `def`
 * that is nearest to where it was. Those that are gone are left out.
 */
export function movedFunctions(
  functions: readonly ParsedFunction[],
  lines: readonly string[],
): readonly ParsedFunction[] {
  const heads = new Map<string, number[]>()
  for (const [at, line] of lines.entries()) {
    const name = /^\s*(?:async\s+)?def\s+(\w+)/.exec(line)?.[1]
    if (name !== undefined) heads.set(name, [...(heads.get(name) ?? []), at + 1])
  }
  const taken = new Set<number>()
  return functions.flatMap((each) => {
    const free = (heads.get(each.name) ?? []).filter((line) => !taken.has(line))
    const distance = (line: number): number => Math.abs(line - each.line_number)
    const [line] = free.sort((a, b) => distance(a) - distance(b))
    if (line === undefined) return []
    taken.add(line)
    return [{ ...each, line_number: line, end_line_number: each.end_line_number + line - each.line_number }]
  })
}
