import type { RoleRight } from '../../contract/role-rights.js'

/** What a user needs that reads. */
const reading = new Set(['SELECT', 'SHOW VIEW', 'USAGE', 'SHOW DATABASES', 'PROXY'])

/**
 * Returns what a user could do beyond reading, with the statements that take the right away.
 *
 * @param grants of SHOW GRANTS: `GRANT rights ON place TO user …`
 * @param account `reader@127.0.0.1`
 * @param scratch quoted schema whose rights are wanted
 */
export function rightsOf(
  grants: readonly string[],
  account: string,
  scratch: string | undefined,
): RoleRight[] {
  const at = account.lastIndexOf('@')
  const user = [account.slice(0, at), account.slice(at + 1)]
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join('@')
  return grants.flatMap((grant): readonly RoleRight[] => {
    const [, listed = '', place = ''] = /^GRANT (.*?) ON (.*?) TO /s.exec(grant) ?? []
    if (scratch !== undefined && place.startsWith(`${scratch}.`)) return []
    // Rights on columns have these in parentheses.
    const rights = listed
      .split(/,\s*(?![^(]*\))/)
      .filter((right) => right !== '' && !reading.has(right.replace(/\s*\(.*$/s, '')))
    if (rights.length === 0) return []
    const what = `${rights.join(', ')} ON ${place}`
    return [{ effect: what, statements: [`REVOKE ${what} FROM ${user};`] }]
  })
}
