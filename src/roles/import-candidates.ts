import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'

/** A name under which Python would import a file, from a folder where imports may begin. */
export interface ImportCandidate {
  /** Relative to the root; empty for the root itself. */
  readonly folder: string
  /** The parts of the name, as `json`, `decoder`. */
  readonly name: readonly string[]
  /** How many of them the file makes a module or a package: all, or none where the folders are without `__init__.py`. */
  readonly isPackage: boolean
}

const suffix = /(?:\.[\w-]+)?\.(?:so|pyd|dylib|dll)$|\.py[cdow]?$/i
const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u

/** Reports whether the interpreter could load a file as a module. */
export function isModule(path: string): boolean {
  return suffix.test(path)
}

/** Reports whether the interpreter would load a file instead of a source that somebody can read. */
export function isCompiled(path: string): boolean {
  return isModule(path) && !/\.pyw?$/i.test(path)
}

/**
 * Returns the names under which a new file could be imported. Imports begin in folders that the configuration names, in the root, and in each folder
 * that is no package: pytest puts it in front of all others, as Python does with that of a script. What is in a package that is there already is a part of it.
 *
 * @param named folders of the configuration and of `PYTHONPATH`, relative to the root
 * @param made files that are made together with it, relative to the root: they do not make a name the project's, but may make a folder a package
 * @param given folders that a person named as those of the role: their own names are no surprise
 */
export function importCandidates(
  root: string,
  path: string,
  named: readonly string[],
  given: readonly string[],
  made: ReadonlySet<string> = new Set(),
): readonly ImportCandidate[] {
  if (!isModule(path)) return []
  const folders = posix.dirname(path) === '.' ? [] : posix.dirname(path).split('/')
  const stem = posix.basename(path).replace(suffix, '')
  const found: ImportCandidate[] = []
  for (let depth = 0; depth <= folders.length; depth += 1) {
    const folder = folders.slice(0, depth).join('/')
    const isEntry =
      depth === 0 ||
      named.includes(folder) ||
      !(isRegularPackage(join(root, folder)) || made.has(`${folder}/__init__.py`))
    const isPackage = stem === '__init__'
    const name = [...folders.slice(depth), ...(isPackage ? [] : [stem])]
    const [top] = name
    if (!isEntry || top === undefined || !name.every((part) => identifier.test(part))) continue
    const at = posix.join(folder, top)
    if (given.some((each) => each === at || each.startsWith(`${at}/`))) continue
    if (isRegularPackage(join(root, at)) || moduleAt(root, folder, top) !== undefined) continue
    found.push({ folder, name, isPackage })
  }
  return found
}

/**
 * Returns the file or package of the project that has a name already, in another folder where imports may begin; undefined if none does.
 */
export function projectModule(
  root: string,
  { folder, name: [top = ''] }: ImportCandidate,
  named: readonly string[],
): string | undefined {
  for (const other of new Set(['', 'src', 'lib', 'python', ...named])) {
    if (other === folder) continue
    const at = posix.join(other, top)
    if (isRegularPackage(join(root, at))) return at
    const module = moduleAt(root, other, top)
    if (module !== undefined) return posix.join(other, module)
  }
  return undefined
}

function isRegularPackage(folder: string): boolean {
  return ['.py', '.pyc'].some((ending) => existsSync(join(folder, `__init__${ending}`)))
}

function moduleAt(root: string, folder: string, top: string): string | undefined {
  const inFolder = join(root, folder)
  if (!existsSync(inFolder)) return undefined
  return readdirSync(inFolder).find((name) => isModule(name) && name.replace(suffix, '') === top)
}
