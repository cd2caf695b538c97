import type { Edit } from '../../../../../edit/edit.js'

/** A part of a plan that can be made or left out by pieces: places of a text, items of a list, or an edit as a whole. */
export interface PlanPart {
  readonly pieces: number
  /** The edits that make these pieces, by index; none where none is left, undefined where they cannot be left out so. */
  readonly edits: (kept: ReadonlySet<number>) => readonly Edit[] | undefined
  /** Pieces that only together can be left out; absent: each alone. */
  readonly groups?: readonly PieceGroup[]
}

/** Pieces that go together, once those have gone that must go before. */
export interface PieceGroup {
  readonly together: readonly number[]
  readonly after: readonly number[]
}
