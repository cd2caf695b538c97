import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.js'

/** Returns the folder or file that an agent is given as its knowledge: the native one, else the one source, else the whole copy. */
export function knowledgeFolder({ root, kb, sources }: Pick<Config, 'root' | 'kb' | 'sources'>): string {
  if (sources.length === 0 || existsSync(join(root, kb, 'metrics'))) return kb
  const [only, another] = sources
  return another === undefined && only !== undefined ? only.path : '.'
}
