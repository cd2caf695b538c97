import { code, isNumeric, noValue } from './encode.js'
import { bit } from './liveness.js'

/**
 * The blocks of a function as a tree: each block is one sequence of statements, or two (`if`, `else`). A statement ends
 * where the values on the stack are those that the block began with, so that a run of statements takes nothing from the
 * stack. A statement knows the blocks that it holds, and those around it that it branches to.
 *
 * @returns the block that is the function, or undefined where it has something that this does not read
 */
export function readTree(operators, results, module) {
  const root = newBlock(code.block, undefined, results, 0)
  let block = root
  let sequence = root.sequences[0]
  let height = 0
  for (const [index, operator] of operators.entries()) {
    const { code: kind } = operator
    if (kind === code.else || kind === code.end) {
      if (sequence.open !== undefined) close(sequence, index)
      sequence.to = index
      height = block.base
      if (kind === code.else) {
        sequence = newSequence(block)
        block.sequences.push(sequence)
        continue
      }
      block.end = index
      const ended = block
      if (ended.parent === undefined) return root
      block = ended.parent
      sequence = block.sequences.at(-1)
      height += ended.values.length
      sequence.open.blocks.push(ended)
      sequence.open.written |= ended.written
      block.written |= ended.written
      leave(block, sequence, ended.exits & ~bit(ended.depth))
    } else {
      // Code after a branch is never run, and the format lets it have values out of nothing.
      if (sequence.isEnded) return undefined
      sequence.open ??= { from: index, to: index, blocks: [], exits: 0n, written: 0n }
      if (kind === code.block || kind === code.loop || kind === code.if) {
        const values = valuesOf(operator.blockType)
        if (values === undefined) return undefined
        if (kind === code.if) height--
        block = newBlock(kind, block, values, height, index)
        sequence = block.sequences[0]
        continue
      }
      if (kind === code.localSet || kind === code.localTee) {
        sequence.open.written |= bit(operator.local)
        block.written |= bit(operator.local)
      }
      leave(block, sequence, targetsOf(operator, block))
      if (kind === code.br) outer(block, operator.depth).arrivals++
      if (isLast(kind)) {
        sequence.isEnded = true
        height = block.base
      } else {
        const moved = moves(operator, module)
        if (moved === undefined) return undefined
        height += moved
      }
    }
    if (height < block.base) return undefined
    if (height === block.base) close(sequence, index + 1)
  }
  return undefined
}

function newBlock(kind, parent, values, base, start = -1) {
  const block = {
    kind,
    parent,
    values,
    base,
    start,
    depth: (parent?.depth ?? -1) + 1,
    exits: 0n,
    written: 0n,
    arrivals: 0,
    sequences: [],
  }
  block.sequences.push(newSequence(block))
  return block
}

function newSequence(block) {
  return { block, statements: [], isEnded: false, open: undefined, to: 0 }
}

function close(sequence, to) {
  sequence.statements.push({ ...sequence.open, to })
  sequence.open = undefined
}

function leave(block, sequence, exits) {
  block.exits |= exits
  sequence.open.exits |= exits
}

/** The blocks that an operator may branch to, a bit for the depth of each; returning is leaving the outermost. */
function targetsOf({ code: kind, depth, targets }, block) {
  if (kind === code.return) return 1n
  if (targets !== undefined) return targets.reduce((all, count) => all | bit(block.depth - count), 0n)
  return depth === undefined ? 0n : bit(block.depth - depth)
}

/** A block around another; that of the function without a number. */
export function outer(block, count = block.depth) {
  let found = block
  for (let left = count; left > 0; left--) found = found.parent
  return found
}

function isLast(kind) {
  return kind === code.br || kind === code.brTable || kind === code.return || kind === code.unreachable
}

/** What a block leaves; none that takes values is read. */
function valuesOf(blockType) {
  if (blockType === noValue) return []
  return isNumeric(blockType) ? [blockType] : undefined
}

/** By how much an operator makes the stack higher. */
function moves({ code: kind, callee, type }, { types, functionTypes }) {
  if (kind === code.call || kind === code.callIndirect) {
    const { params, results } = types[kind === code.call ? functionTypes[callee] : type]
    return results.length - params.length - (kind === code.call ? 0 : 1)
  }
  return movesOfRanges.find(([first, last]) => kind >= first && kind <= last)?.[2]
}

/** Operators from one to another, and by how much each makes the stack higher. */
const movesOfRanges = [
  [code.nop, code.nop, 0],
  [code.brIf, code.brIf, -1],
  [code.drop, code.drop, -1],
  [code.select, code.select, -2],
  [code.localGet, code.localGet, 1],
  [code.localSet, code.localSet, -1],
  [code.localTee, code.localTee, 0],
  // global.get, global.set
  [0x23, 0x23, 1],
  [0x24, 0x24, -1],
  // Loads, stores, memory.size, memory.grow, constants
  [0x28, 0x35, 0],
  [0x36, 0x3e, -2],
  [0x3f, 0x3f, 1],
  [0x40, 0x40, 0],
  [0x41, 0x44, 1],
  // Comparisons: with zero, and of two
  [0x45, 0x45, 0],
  [0x46, 0x4f, -1],
  [0x50, 0x50, 0],
  [0x51, 0x66, -1],
  // Arithmetic of one and of two, for i32, i64, f32 and f64
  [0x67, 0x69, 0],
  [0x6a, 0x78, -1],
  [0x79, 0x7b, 0],
  [0x7c, 0x8a, -1],
  [0x8b, 0x91, 0],
  [0x92, 0x98, -1],
  [0x99, 0x9f, 0],
  [0xa0, 0xa6, -1],
  // Conversions
  [0xa7, 0xc4, 0],
  [0xfc00, 0xfc07, 0],
  // memory.copy, memory.fill
  [0xfc0a, 0xfc0b, -3],
]
