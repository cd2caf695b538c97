import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { checkOnDisk, checkPath, sourceExtensions } from '../edit/allowed-path.js'
import { AutotestError } from '../errors.js'
import { gitFolderProblem } from './git-folder.js'
import { installedProblem } from './installed-folders.js'
import { projectSettings } from './project-settings.js'
import { isWrittenBy, type Role, writableFolders } from './role.js'
import { type FindShadowed, shadowProblem } from './shadowed-name.js'
import { startedFile } from './started-files.js'

/** What a project says about names that run by themselves. */
export interface WriteFacts {
  /** Absolute. */
  readonly root: string
  /** Absent: there is no interpreter to ask. */
  readonly findShadowed?: FindShadowed | undefined
  /** Files that are made together with it, relative to the root. */
  readonly made?: ReadonlySet<string> | undefined
}

/** What becomes of a write: allowed where it is undefined. */
export interface WriteProblem {
  /** `ask`: a person decides. */
  readonly kind: 'refuse' | 'ask'
  readonly reason: string
}

/**
 * Judges whether a role may write a file. The same for a file that is to be written and for one that came back from a sandbox: place, links,
 * letter case, Unicode form, folders that would be git repositories, names that run by themselves, names that would be imported in place of something else, and
 * endings. A sandbox has nobody to ask, and takes over nothing that is a question.
 *
 * @param path absolute, or relative to `cwd`
 */
export async function judgeWrite(
  role: Role,
  {
    root,
    findShadowed,
    made,
    cwd = root,
    path,
  }: WriteFacts & { readonly cwd?: string | undefined; readonly path: unknown },
): Promise<WriteProblem | undefined> {
  if (typeof path !== 'string' || path === '') return refuse('no path is named')
  if (role.writes.length === 0) return refuse(`${role.name} may not write any file`)
  const place = await placeIn(root, cwd, path)
  if (place === undefined) return refuse(`${path} is outside of the project`)
  const name = place.split('/').at(-1) ?? place
  const refused = role.refuses.find((pattern) => matches(name, pattern))
  if (refused !== undefined)
    return refuse(`${role.name} may not write ${refused}: it would run with the tests`)
  try {
    checkPath(place, ['.'], undefined)
    if (!isWrittenBy(role, place))
      return refuse(`${role.name} may write ${role.writes.join(', ')}, not ${place}`)
    await checkOnDisk(root, place)
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    return refuse(`${role.name} may write ${role.writes.join(', ')}: ${error.message}`)
  }
  const installed = installedProblem(role, root, place)
  if (installed !== undefined) return refuse(`${role.name} may not write ${place}: ${installed}`)
  const repository = gitFolderProblem(root, place, made)
  if (repository !== undefined) return refuse(`${role.name} may not write ${place}: ${repository}`)
  return (await startProblem(role, { root, findShadowed, made }, place)) ?? endingProblem(place)
}

/** Other names are found by programs rather than by people: what runs by them, nobody can list. */
function endingProblem(path: string): WriteProblem | undefined {
  if (sourceExtensions.some((ending) => path.endsWith(ending))) return undefined
  const reason = `the ending of ${path} is none of sources, tests and test data: a person decides`
  return { kind: 'ask', reason }
}

/** Judges what would run before or instead of a tool once a file is there. */
async function startProblem(
  role: Role,
  { root, findShadowed, made }: WriteFacts,
  path: string,
): Promise<WriteProblem | undefined> {
  const { pythonPath, tools, loadedBy } = projectSettings(root)
  const started = startedFile(path, tools)
  if (started !== undefined) {
    const reason = `${path} is loaded by ${started.by}`
    // Who writes tests sets them up as well; who writes what is tested must not.
    return started.judges && role.mode === 'forward synthesis (code)'
      ? refuse(`${role.name} may not write it: ${reason}`)
      : { kind: 'ask', reason: `${reason}: a person decides` }
  }
  const setting = loadedBy(path)
  if (setting !== undefined)
    return { kind: 'ask', reason: `${setting} has ${path} loaded before the tests: a person decides` }
  if (existsSync(join(root, path))) return undefined
  const shadowed = await shadowProblem({
    ...{ root, path, named: pythonPath, given: writableFolders(role), find: findShadowed, made },
    keepsSources: role.mode === 'forward synthesis (tests)',
  })
  return shadowed === undefined ? undefined : refuse(`${role.name} may not write ${path}: ${shadowed}`)
}

function refuse(reason: string): WriteProblem {
  return { kind: 'refuse', reason }
}

/** Returns why a role may not write a file by itself; undefined if it may. */
export async function refusedWrite(
  role: Role,
  request: WriteFacts & { readonly path: unknown },
): Promise<string | undefined> {
  return (await judgeWrite(role, request))?.reason
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
