/** What a role could do beyond reading, were it not refused. */
export interface RoleRight {
  /** "write large objects" */
  readonly effect: string
  /** What takes the right away. */
  readonly statements: readonly string[]
}

export interface RoleRights {
  /** "the role reader" */
  readonly who: string
  readonly rights: readonly RoleRight[]
}

/** Says in one line what a role could do. */
export function rightsNote({ who, rights }: RoleRights): string {
  const effects = rights.map(({ effect }) => effect).join('; ')
  return `${who} has rights beyond reading, which queries are refused to use (${effects}): \`autotest doctor\` lists the statements that take them away`
}
