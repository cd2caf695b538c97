/** What is kept and shown of rows that differ: their values, marks that tell equal values from others, or nothing. */
export const rowPrivacies = ['full', 'masked', 'none'] as const

export type RowPrivacy = (typeof rowPrivacies)[number]
