import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import picomatch from 'picomatch'
import { AutotestError } from '../errors.js'
import { filesBelow, isGitSetting } from './files-below.js'
import { installedFolders } from './installed-folders.js'
import type { Role } from './role.js'

/** Names by which programs find keys, whatever is in them; examples of them are none. */
const secretNames =
  /^(?:\.env(?:\..+|rc)?|\.netrc|_netrc|\.git-credentials|\.pgpass|\.my\.cnf|\.pypirc|\.npmrc|\.htpasswd|\.dockercfg|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:p12|pfx|jks|keystore|ppk|kdbx))$/i
const examples = /\.(?:example|sample|template|dist|schema|defaults?)$/i
/** Folders of a home or a project that hold rights of their user. */
const secretFolders = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.gcloud', '.kube', '.docker'])
const keyBlock = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/
const headBytes = 20_000

export interface ReadRequest {
  /** Of the project, absolute. */
  readonly root: string
  readonly cwd: string
  /** As the tool names it; undefined: where it starts. */
  readonly path: unknown
  /** Pattern of file names that a search is limited to. */
  readonly glob: unknown
  /** Whether the contents of what is found are shown. */
  readonly showsContents: boolean
}

/** Returns why a role may not read what a tool asks for; undefined if it may: keys are for the roles that name them. */
export function refusedRead(
  role: Role,
  { root, cwd, path, glob, showsContents }: ReadRequest,
): string | undefined {
  if (!showsContents) return undefined
  if (path !== undefined && typeof path !== 'string') return 'the path is not text'
  const file = resolve(cwd, path?.startsWith('~/') === true ? join(homedir(), path.slice(2)) : (path ?? '.'))
  const found = statSync(file, { throwIfNoEntry: false })
  const real = found === undefined ? file : realpathSync(file)
  if (found?.isDirectory() !== true)
    return [...new Set([file, real])]
      .map((each) => problemOf(role, root, each))
      .find((each) => each !== undefined)
  const folder = problemOf(role, root, join(real, 'x'))
  if (folder !== undefined) return folder
  // Hidden files are searched where a pattern names them.
  const matches = typeof glob === 'string' ? patternOf(glob) : (name: string) => !/(^|\/)\./.test(name)
  const { names, isWhole } = filesBelow(real)
  for (const name of names)
    if (matches(name)) {
      const problem = problemOf(role, root, join(real, name))
      if (problem !== undefined) return `${problem}; narrow the search to files without keys`
    }
  return isWhole
    ? undefined
    : `there are more than ${names.length - 1} files, and nobody knows which of them hold keys; search a folder of them`
}

/** A file of a project that a role may not read. */
export interface HiddenFile {
  /** Relative to the root. */
  readonly path: string
  readonly reason: string
}

/** Returns the files of a project that a role may not read, by the same rule as a tool that asks. Throws where there are too many to look at. */
export function hiddenFiles(role: Role, root: string): readonly HiddenFile[] {
  const { names, isWhole } = filesBelow(root)
  if (!isWhole)
    throw new AutotestError('sandbox_missing', `${root} has more than ${names.length - 1} files`, {
      hint: 'Nobody knows which of them hold keys, so that none can be kept from the command. Remove what is not of the project.',
    })
  return names.flatMap((path) => {
    const reason = isNeeded(role, path) ? undefined : secretOf(join(root, path), false)
    return reason === undefined ? [] : [{ path, reason }]
  })
}

function patternOf(glob: string): (name: string) => boolean {
  const plain = glob.startsWith('!') ? undefined : picomatch(glob, { dot: true, nocase: true })
  if (plain === undefined) {
    const excluded = picomatch(glob.slice(1), { dot: true })
    return (name) => !/(^|\/)\./.test(name) && !excluded(name) && !excluded(basename(name))
  }
  return (name) => plain(name) || plain(basename(name))
}

function problemOf(role: Role, root: string, file: string): string | undefined {
  const bases = [root, realpathSync(root)]
  const inside = bases
    .map((base) => relative(base, file))
    .find((each) => !each.startsWith('..') && !isAbsolute(each))
  const shown = inside?.split(sep).join('/') ?? file
  if (inside !== undefined && isNeeded(role, shown)) return undefined
  const reason = secretOf(file, inside === undefined)
  return reason === undefined
    ? undefined
    : `${shown} ${reason}, which ${role.name} does not need (\`reads\` of the role)`
}

/** @param path relative to the root */
function isNeeded({ reads = [] }: Role, path: string): boolean {
  return reads.some((pattern) => picomatch.isMatch(path, pattern, { dot: true }))
}

/** Returns what makes a file a secret; undefined for any other. */
function secretOf(file: string, isOutside: boolean): string | undefined {
  const segments = file.split(sep)
  const name = segments.at(-1) ?? ''
  if (secretNames.test(name) && !examples.test(name)) return 'is a file of keys and passwords'
  const git = segments.lastIndexOf('.git')
  if (git >= 0 && isGitSetting(name)) return 'may hold passwords of remotes'
  if (segments.slice(0, -1).some((segment) => secretFolders.has(segment.toLowerCase())))
    return 'is in a folder of keys'
  // Packages bring keys of their tests, and none of the user.
  if (!isOutside && segments.some((segment) => installedFolders.has(segment))) return undefined
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined || found.isDirectory()) return undefined
  // What nobody else of the machine may read is not for an agent either.
  if (isOutside && (found.mode & 0o004) === 0) return 'is outside of the project and private'
  if (isOutside && /^\/(?:proc|dev|sys)\//.test(file)) return 'is no file of the project'
  return found.isFile() && keyBlock.test(headOf(file)) ? 'holds a private key' : undefined
}

function headOf(file: string): string {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return ''
  }
  try {
    if (!fstatSync(descriptor).isFile()) return ''
    const bytes = Buffer.alloc(headBytes)
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, headBytes, 0))
  } finally {
    closeSync(descriptor)
  }
}
