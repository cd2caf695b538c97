import type { Edit } from '../../../../../edit/edit-types.js'

/**
 * A part of a plan that can be split into pieces, each made or left out: places of a text, items of a list,
 * or an edit as a whole.
 */
export interface PlanPart {
  readonly pieces: number
  /**
   * Returns the edits that make these pieces, given by index; none if none is kept, undefined if they cannot
   * be separated.
   */
  readonly edits: (kept: ReadonlySet<number>) => readonly Edit[] | undefined
  /** Pieces that can only be left out together; absent: each separately. */
  readonly groups?: readonly PieceGroup[]
}

/** Pieces that are removed together, after those that must be removed before them. */
export interface PieceGroup {
  readonly together: readonly number[]
  readonly after: readonly number[]
}
