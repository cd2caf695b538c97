/** Policies by which structure and results together determine a verdict; `evidence` is the default. */
export const policies = ['evidence', 'both', 'results', 'structure'] as const

export type Policy = (typeof policies)[number]

export function isPolicy(name: string): name is Policy {
  return (policies as readonly string[]).includes(name)
}
