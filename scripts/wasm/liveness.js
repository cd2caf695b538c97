import { code } from './encode.js'

/**
 * Which locals are still read before they are written again, before each operator of a function: a bit for each local.
 * Read from the end, over and over until nothing is added where loops go back to.
 *
 * @returns {bigint[]}
 */
export function liveLocals(operators) {
  const openers = openersOf(operators)
  const live = new Array(operators.length)
  const inLoop = new Map()
  let changed = true
  while (changed) {
    changed = false
    const labels = []
    const at = (depth) => labels.at(-1 - depth).label
    let now = 0n
    for (let index = operators.length - 1; index >= 0; index--) {
      const { code: kind, local, depth, targets } = operators[index]
      if (kind === code.end) {
        const opener = openers[index]
        const isLoop = operators[opener]?.code === code.loop
        labels.push({ label: isLoop ? (inLoop.get(opener) ?? 0n) : now, after: now, opener })
      } else if (kind === code.else) {
        const label = labels.at(-1)
        label.otherwise = now
        now = label.after
      } else if (kind === code.block) labels.pop()
      else if (kind === code.if) {
        const { otherwise, after } = labels.pop()
        now |= otherwise ?? after
      } else if (kind === code.loop) {
        labels.pop()
        if (inLoop.get(index) !== now) {
          inLoop.set(index, now)
          changed = true
        }
      } else if (kind === code.br) now = at(depth)
      else if (kind === code.brIf) now |= at(depth)
      else if (kind === code.brTable) now = targets.reduce((all, target) => all | at(target), 0n)
      else if (kind === code.return || kind === code.unreachable) now = 0n
      else if (kind === code.localGet) now |= bit(local)
      else if (kind === code.localSet || kind === code.localTee) now &= ~bit(local)
      live[index] = now
    }
  }
  return live
}

/** Where each `end` was opened; that of the function nowhere. */
function openersOf(operators) {
  const openers = new Array(operators.length)
  const open = [-1]
  for (const [index, { code: kind }] of operators.entries()) {
    if (kind === code.block || kind === code.loop || kind === code.if) open.push(index)
    else if (kind === code.end) openers[index] = open.pop()
  }
  return openers
}

const bits = []
export function bit(local) {
  bits[local] ??= 1n << BigInt(local)
  return bits[local]
}

/** The locals of a set of bits, in order. */
export function localsIn(set, count) {
  return Array.from({ length: count }, (_, local) => local).filter((local) => (set & bit(local)) !== 0n)
}
