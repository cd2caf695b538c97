/** How a copy differs from the database; shares are from 0 to 1. */
export interface Profile {
  /** What the copy tests, in words. */
  readonly title: string
  /** Share of rows that are kept. */
  readonly keep: number
  /** Share of columns whose values are permuted among half of the rows. */
  readonly shuffle: number
  /** Share of columns in which many rows get one of a few values. */
  readonly ties: number
  /** Share of rows that become duplicates of another, except for keys. */
  readonly duplicates: number
  /** Share of rows added as copies of others. */
  readonly added: number
  /**
   * Share of columns in which some cells get a close value: a neighbouring day, a round number, another case.
   */
  readonly perturbed: number
  /** Share of columns in which some cells become NULL. */
  readonly nulls: number
  /** Share of rows of a table that rows of another may refer to; the others have no child. */
  readonly parents: number
}

const profiles: readonly [Profile, ...Profile[]] = [
  {
    title: 'fewer rows, shuffled values',
    keep: 0.8,
    shuffle: 0.8,
    ties: 0,
    duplicates: 0,
    added: 0,
    perturbed: 0,
    nulls: 0,
    parents: 0.8,
  },
  {
    title: 'ties and duplicate rows',
    keep: 1,
    shuffle: 0.2,
    ties: 0.85,
    duplicates: 0.3,
    added: 0.25,
    perturbed: 0,
    nulls: 0,
    parents: 0.9,
  },
  {
    title: 'NULLs where they are allowed',
    keep: 1,
    shuffle: 0.3,
    ties: 0,
    duplicates: 0,
    added: 0.1,
    perturbed: 0,
    nulls: 1,
    parents: 0.9,
  },
  {
    title: 'boundary values',
    keep: 1,
    shuffle: 0.3,
    ties: 0,
    duplicates: 0.1,
    added: 0.25,
    perturbed: 1,
    nulls: 0,
    parents: 0.85,
  },
  {
    title: 'all of these together',
    keep: 0.85,
    shuffle: 0.5,
    ties: 0.5,
    duplicates: 0.2,
    added: 0.25,
    perturbed: 0.5,
    nulls: 0.5,
    parents: 0.75,
  },
]

/**
 * Returns the profile of copy `index`, counted from 1; after the fifth the profiles repeat, with other
 * values.
 */
export function profileOf(index: number): Profile {
  return profiles[(index - 1) % profiles.length] ?? profiles[0]
}
