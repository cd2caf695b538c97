import {
  branch,
  branchTable,
  call,
  code,
  i32,
  noValue,
  onLocal,
  opening,
  plain,
  smallNumber,
  zero,
} from './encode.js'
import { liveLocals, localsIn } from './liveness.js'
import { outer } from './tree.js'

/**
 * A region of a function as a function of its own, and what stands in its place. The new function takes the locals that
 * the region reads, and gives, in this order: the values of the block that it leaves to; where it leaves to, a number,
 * if there are several places; the locals that it writes and that are read later.
 *
 * @param source the function: its operators, the types of its locals, what makes more of them
 * @param module what makes types and functions
 * @returns the operators in place of the region's
 */
export function outline(region, source, module) {
  const { exits, slots } = region
  const kept = localsIn(region.kept, source.locals.length)
  const body = bodyOf(region, source, kept, module)
  const parameters = localsIn(liveLocals(body)[0], source.locals.length)
  const results = [...slots, ...(exits.length > 1 ? [i32] : []), ...kept.map((local) => source.locals[local])]
  const callee = module.addFunction(
    parameters.map((local) => source.locals[local]),
    results,
    ...renumbered(body, parameters, source.locals),
  )
  const called = [...parameters.map((local) => onLocal(code.localGet, local)), call(callee)]
  if (exits.length === 0) return [...called, plain(code.unreachable)]
  const stored = kept.toReversed().map((local) => onLocal(code.localSet, local))
  return leaving([...called, ...stored], region, source)
}

/** The region, with returns for branches out of it; such as are no plain branches lead to the end of a block first. */
function bodyOf({ from, to, block, exits, slots, falls }, { operators }, written, module) {
  const returned = (exit) => [
    ...(exit.values.length === 0 ? slots.map(zero) : []),
    ...(exits.length > 1 ? [smallNumber(exits.indexOf(exit))] : []),
    ...written.map((local) => onLocal(code.localGet, local)),
    plain(code.return),
  ]
  const ends = []
  const endOf = (exit) => {
    if (!ends.includes(exit)) ends.push(exit)
    return ends.indexOf(exit)
  }
  const kept = []
  let depth = 0
  for (const operator of operators.slice(from, to)) {
    const { code: kind, targets } = operator
    const exitAt = (target) => (target < depth ? undefined : exitTo(outer(block, target - depth), exits))
    const moved = (target) => (target < depth ? target : depth + endOf(exitAt(target)))
    const exit =
      kind === code.br
        ? exitAt(operator.depth)
        : kind === code.return
          ? exitTo(outer(block), exits)
          : undefined
    if (kind === code.block || kind === code.loop || kind === code.if) depth++
    else if (kind === code.end) depth--
    if (exit !== undefined) kept.push(...returned(exit))
    else if (kind === code.brIf) kept.push(branch(kind, moved(operator.depth)))
    else if (kind === code.brTable) kept.push(branchTable(targets.map(moved)))
    else kept.push(operator)
  }
  if (falls) kept.push(...returned(exits[0]))
  for (const exit of ends) kept.push(plain(code.end), ...returned(exit))
  const opened = ends.toReversed().map(({ values }) => opening(code.block, blockType(values, module)))
  return [...opened, ...kept, plain(code.end)]
}

function exitTo(block, exits) {
  return exits.find(({ label }) => label === block)
}

function blockType(values, module) {
  if (values.length === 0) return noValue
  return values.length === 1 ? values[0] : module.addType([], values)
}

/** The operators with locals as the new function numbers them, parameters first, and the types of those that are none. */
function renumbered(operators, parameters, types) {
  const numbers = new Map(parameters.map((local, index) => [local, index]))
  const used = new Set(operators.flatMap(({ local }) => (local === undefined ? [] : [local])))
  const others = [...used].filter((local) => !numbers.has(local)).sort((a, b) => types[a] - types[b] || a - b)
  for (const local of others) numbers.set(local, numbers.size)
  const moved = operators.map((operator) =>
    operator.local === undefined ? operator : onLocal(operator.code, numbers.get(operator.local)),
  )
  return [moved, others.map((local) => types[local])]
}

/** After the call, the values and the number of the exit are on the stack: on to where the region left to. */
function leaving(called, { block, exits, slots }, source) {
  const depthOf = ({ label }) => block.depth - label.depth
  const leave = (exit, inside = 0) =>
    exit.label.depth === 0 ? plain(code.return) : branch(code.br, depthOf(exit) + inside)
  const [first] = exits
  const falls = first.label === undefined
  if (exits.length === 1) return falls ? called : [...called, leave(first)]
  if (slots.length === 0) {
    if (!falls) return [...called, branchTable(exits.map(depthOf))]
    if (exits.length === 2) return [...called, branch(code.brIf, depthOf(exits[1]))]
    const targets = exits.map((exit) => (exit === first ? 0 : depthOf(exit) + 1))
    return [opening(code.block, noValue), ...called, branchTable(targets), plain(code.end)]
  }
  if (exits.every(({ label, values }) => label !== undefined && values.length > 0))
    return [...called, branchTable(exits.map(depthOf))]
  const kept = [...slots, i32].map((type, index) => source.temporary(type, index))
  const number = kept.at(-1)
  const valuesOf = (exit) =>
    (exit.values.length === 0 ? [] : kept.slice(0, -1)).map((local) => onLocal(code.localGet, local))
  const going = [...called, ...kept.toReversed().map((local) => onLocal(code.localSet, local))]
  for (const [index, exit] of exits.entries()) {
    if (index === 0) continue
    going.push(
      onLocal(code.localGet, number),
      smallNumber(index),
      plain(code.i32Eq),
      opening(code.if, noValue),
    )
    going.push(...valuesOf(exit), leave(exit, 1), plain(code.end))
  }
  return [...going, ...valuesOf(first), ...(falls ? [] : [leave(first)])]
}
