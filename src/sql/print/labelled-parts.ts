import type { Expression } from '../shape/query-shape.js'

/** Parts of a node that is not modelled. */
export interface LabelledParts {
  readonly plain: readonly Expression[]
  /** By their labels, as the parser calls them. */
  readonly labelled: ReadonlyMap<string, readonly Expression[]>
}

export function partsOf(args: readonly Expression[]): LabelledParts {
  const plain: Expression[] = []
  const labelled = new Map<string, readonly Expression[]>()
  for (const part of args) {
    if (part.kind === 'apply' && part.op.startsWith('field:'))
      labelled.set(part.op.slice('field:'.length), part.args)
    else plain.push(part)
  }
  return { plain, labelled }
}

/** Whether these are all labels, and so many parts have none. */
export function hasExactly(
  { plain, labelled }: LabelledParts,
  count: number,
  ...labels: readonly string[]
): boolean {
  return (
    plain.length === count && labelled.size === labels.length && labels.every((label) => labelled.has(label))
  )
}

export function singlePart({ labelled }: LabelledParts, label: string): Expression | undefined {
  const values = labelled.get(label)
  return values?.length === 1 ? values[0] : undefined
}

export function wordOf(part: Expression | undefined): string | undefined {
  return part?.kind === 'literal' && part.type === 'word' ? part.value : undefined
}

export function isTrue(part: Expression | undefined): boolean {
  return part?.kind === 'literal' && part.value.toLowerCase() === 'true'
}
