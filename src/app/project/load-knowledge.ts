import { join, posix, relative, resolve, sep } from 'node:path'
import type { Config } from '../../config/config.js'
import { type LoadedSnapshot, loadSnapshot } from '../../snapshot/load.js'

/**
 * Reads the knowledge of a project: the folder of the native format, the definitions of models, and the sources in other
 * formats. Benchmarks and reports below a source are no knowledge.
 */
export function loadKnowledge(
  config: Config,
  folders: readonly string[] = [config.kb, config.agents],
): Promise<LoadedSnapshot> {
  const { root, sources, benchmarks } = config
  if (sources.length === 0) return loadSnapshot(root, folders)
  const plain = (path: string): string => relative(root, resolve(root, path)).split(sep).join(posix.sep)
  // A glob names files below the folder before its first special character.
  const cases = benchmarks.map((path) => plain(path.replace(/[^/]*[*?[{!(].*$/, '') || join(path, '.')))
  const named = new Set(sources.map(({ path }) => path))
  const except = [...cases, plain(config.agents), 'reports', 'autotest.config.yaml'].filter(
    (path) => path !== '' && !named.has(path),
  )
  return loadSnapshot(root, folders, { sources, except })
}
