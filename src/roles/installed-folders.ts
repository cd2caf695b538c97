import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { isErrno } from '../edit/is-errno.js'
import { type Role, writableFolders } from './role.js'
import { foldName } from './started-files.js'

/** Folders right below a root that hold no sources of a project, where git does not say which files are its own. */
export const skippedFolders: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.venv',
  'venv',
  'env',
  'node_modules',
  '__pycache__',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.pytest_cache',
  '.autotest',
  'reports',
])

/** Folders into which package managers install, at any depth. */
export const installedFolders: ReadonlySet<string> = new Set([
  'node_modules',
  'site-packages',
  'dist-packages',
])

/**
 * Returns why a file belongs to what is installed: an interpreter, or what it loads from, which runs as the user and outside of any sandbox. Undefined for a
 * file of the project. What no sandbox copies is refused by every other door as well, unless the role names it.
 *
 * @param path relative to the root
 */
export function installedProblem(role: Role, root: string, path: string): string | undefined {
  const folders = path.split('/').slice(0, -1)
  const [first = ''] = folders
  const isNamed = writableFolders(role).some((each) => each === first || each.startsWith(`${first}/`))
  if (skippedFolders.has(foldName(first)) && !isNamed) return `${first} holds no sources of the project`
  const installed = folders.find((each) => installedFolders.has(foldName(each)))
  if (installed !== undefined) return `${installed} is where packages are installed`
  if (/(?:^|\/)lib(?:64)?\/python\d[^/]*\//i.test(path)) return 'an interpreter loads what is there'
  for (let depth = 0; depth < folders.length; depth += 1) {
    const prefix = folders.slice(0, depth).join('/')
    // In the root itself sources may stand beside an environment; what its programs start from is its own.
    const isProgram = /^(?:bin|scripts)$/.test(foldName(folders[depth] ?? ''))
    if ((depth > 0 || isProgram) && isPrefix(join(root, prefix)))
      return `${posix.join(prefix, '.')} is an environment of Python, and runs as its user`
  }
  const last = folders.join('/')
  return last !== '' && isPrefix(join(root, last))
    ? `${last} is an environment of Python, and runs as its user`
    : undefined
}

/** Reports whether an interpreter has its own files and packages below a folder: an environment by PEP 405, one of Conda, or a whole Python. */
function isPrefix(folder: string): boolean {
  return (
    existsSync(join(folder, 'pyvenv.cfg')) ||
    existsSync(join(folder, 'conda-meta')) ||
    namesIn(join(folder, 'lib')).some((name) => /^python\d/i.test(name))
  )
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}
