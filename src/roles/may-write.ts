import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { checkOnDisk, checkPath, sourceExtensions } from '../edit/allowed-path.js'
import { AutotestError } from '../errors.js'
import { isWrittenBy, type Role } from './role.js'

/**
 * Returns why a role may not write a file; undefined if it may. The same for a file that is to be written and for one that came back from a sandbox: place, links,
 * letter case, Unicode form, and names that run by themselves.
 *
 * @param root of the project, absolute
 * @param path absolute, or relative to `cwd`
 */
export async function refusedWrite(
  role: Role,
  {
    root,
    cwd = root,
    path,
  }: { readonly root: string; readonly cwd?: string | undefined; readonly path: unknown },
): Promise<string | undefined> {
  if (typeof path !== 'string' || path === '') return 'no path is named'
  if (role.writes.length === 0) return `${role.name} may not write any file`
  const place = await placeIn(root, cwd, path)
  if (place === undefined) return `${path} is outside of the project`
  const name = place.split('/').at(-1) ?? place
  const refused = role.refuses.find((pattern) => matches(name, pattern))
  if (refused !== undefined) return `${role.name} may not write ${refused}: it would run with the tests`
  try {
    checkPath(place, ['.'], undefined)
    if (!isWrittenBy(role, place)) return `${role.name} may write ${role.writes.join(', ')}, not ${place}`
    await checkOnDisk(root, place)
    return undefined
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    return `${role.name} may write ${role.writes.join(', ')}: ${error.message}`
  }
}

/** Returns why a file that a role made in a copy may not come back: what it may not write, and what is no source, test or test data. */
export async function refusedReturn(role: Role, root: string, path: string): Promise<string | undefined> {
  const refused = await refusedWrite(role, { root, path })
  if (refused !== undefined || sourceExtensions.some((ending) => path.endsWith(ending))) return refused
  return 'its ending is none of sources, tests and test data'
}

/** Returns a path relative to the root as it is written, with nothing resolved but the folder that it starts from. */
async function placeIn(root: string, cwd: string, path: string): Promise<string | undefined> {
  // `a/../b` would be another file where a is a link.
  if (path.split(/[\\/]/).includes('..')) return undefined
  const absolute = isAbsolute(path) ? path : resolve(cwd, path)
  for (const base of [root, await realpath(root)]) {
    const place = relative(base, absolute)
    if (place !== '' && !place.startsWith(`..${sep}`) && place !== '..' && !isAbsolute(place))
      return place.split(sep).join('/')
  }
  return undefined
}

function matches(name: string, pattern: string): boolean {
  const folded = name.normalize('NFKC').toLowerCase()
  return pattern.startsWith('*') ? folded.endsWith(pattern.slice(1)) : folded === pattern
}
