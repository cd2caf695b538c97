import { posix } from 'node:path'
import { listIgnored } from '../../git/list-files.js'

/** What Python imports: sources, and compiled modules. */
const endings = ['.py', '.so', '.pyd']

/**
 * Returns the modules that git ignores and the project needs at run time, such as a `version.py` that setuptools_scm
 * writes: those beside modules that git knows, and in packages below these. An environment or a folder of builds is not
 * beside them.
 *
 * @param files that git knows, relative to the root
 */
export async function ignoredModules(root: string, files: readonly string[]): Promise<readonly string[]> {
  const ignored = await listIgnored(root, endings)
  return modulesBeside(ignored, files)
}

/** Returns those of the ignored files that are beside known modules, or in packages that are. */
export function modulesBeside(ignored: readonly string[], files: readonly string[]): readonly string[] {
  const known = new Set(files.filter((file) => file.endsWith('.py')).map((file) => posix.dirname(file)))
  const packages = new Set(
    ignored.filter((file) => posix.basename(file) === '__init__.py').map((file) => posix.dirname(file)),
  )
  const belongs = (folder: string): boolean =>
    known.has(folder) || (packages.has(folder) && folder !== '.' && belongs(posix.dirname(folder)))
  // At the root every tool leaves something, and a package there may be a build.
  return ignored.filter((file) => {
    const folder = posix.dirname(file)
    return folder === '.' ? known.has('.') : belongs(folder) && !isRootPackage(folder, known)
  })
}

/** Reports whether a folder is, or is in, an ignored package at the root. */
function isRootPackage(folder: string, known: ReadonlySet<string>): boolean {
  const [first = ''] = folder.split('/')
  return !known.has(folder) && ![...known].some((each) => each === first || each.startsWith(`${first}/`))
}
