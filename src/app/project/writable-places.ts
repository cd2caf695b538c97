import type { Config } from '../../config/config.js'
import { type AllowedRoot, entryExtensions, knowledgeExtensions } from '../../edit/allowed-path.js'

/** Where the repairs of a project may write, and files of which kind. */
export interface WritablePlaces {
  readonly root: string
  readonly allowedRoots: readonly AllowedRoot[]
  readonly extensions: readonly string[]
}

/** Returns the places that the configuration names as knowledge or as definitions of models. */
export function writablePlaces({
  root,
  kb,
  agents,
  sources,
}: Pick<Config, 'root' | 'kb' | 'agents' | 'sources'>): WritablePlaces {
  const named = sources.map(({ path }) => ({ path, isNamed: true as const }))
  const extensions = named.length === 0 ? knowledgeExtensions : [...knowledgeExtensions, ...entryExtensions]
  return { root, allowedRoots: [kb, agents, ...named], extensions }
}
