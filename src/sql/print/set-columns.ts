/** A printed operand of a set operation; `unordered` is its text without the order of its columns. */
interface Operand {
  readonly text: string
  readonly unordered: string
  readonly outputs: readonly string[] | undefined
}

/** The operands of a set operation, told without the order of their columns, and what each column is called. */
export interface SetColumns<T> {
  readonly operands: readonly T[]
  /** By position: the texts of the column in all operands. */
  readonly names: readonly string[]
}

/**
 * Names for the columns of a set operation that do not depend on the order in which its operands list them: what a
 * column is in each operand. Undefined where the operands do not tell: columns not listed, or operands alike but
 * for the order of their columns, when it is open which of them comes first.
 */
export function setColumns<T extends Operand>(
  operands: readonly T[],
  commutes: boolean,
): SetColumns<T> | undefined {
  const width = operands[0]?.outputs?.length
  if (width === undefined || width === 0 || !operands.every(({ outputs }) => outputs?.length === width))
    return undefined
  const ordered = commutes ? operands.toSorted((a, b) => (a.unordered < b.unordered ? -1 : 1)) : operands
  const isOpen = ordered.some(
    (operand, at) =>
      commutes && operand.unordered === ordered[at + 1]?.unordered && operand.text !== ordered[at + 1]?.text,
  )
  if (isOpen) return undefined
  const names = Array.from({ length: width }, (_, at) =>
    ordered.map(({ outputs }) => outputs?.[at] ?? '').join(' | '),
  )
  return { operands: ordered, names }
}
