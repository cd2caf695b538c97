/** What a model is asked as; each role has a definition file, a model and a share of the budget of its own. */
export const roles = ['sql', 'judge', 'repairer', 'debugger'] as const
export type Role = (typeof roles)[number]
