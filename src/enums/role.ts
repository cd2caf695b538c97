/** Roles of a model; each has a separate definition file, model and share of the budget. */
export const roles = ['sql', 'test_writer', 'judge', 'repairer', 'coder', 'debugger'] as const
export type Role = (typeof roles)[number]
