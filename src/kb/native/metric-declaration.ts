import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import type { Metric } from '../entry.js'
import type { Declaration } from '../knowledge-adapter.js'

/** Returns the YAML file of a metric, with its comments and the keys that teams use for descriptions. */
export function declarationOf({ path }: Metric, snapshot: Snapshot): Declaration {
  const text = readText(snapshot, path) ?? ''
  const comments = [...text.matchAll(/(?:^|\s)#(.*)$/gm)]
  const descriptions = [...text.matchAll(/^(?:description|synonyms|notes?):(.*(?:\n[ \t].*)*)/gm)]
  return { text, prose: [...comments, ...descriptions].map(([, said]) => said ?? '') }
}
