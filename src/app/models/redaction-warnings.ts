import type { BenchmarkCase } from '../../benchmark/case.js'
import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import { type Environment, placesOfSecrets } from '../../text/secrets.js'

const maxPlaces = 3

/**
 * Returns warnings about redacted knowledge and questions: a password that is an ordinary word is removed
 * from them as from all other texts, and nothing else would explain why answers are wrong.
 */
export function redactionWarnings(
  snapshot: Snapshot,
  cases: readonly BenchmarkCase[],
  env: Environment,
): string[] {
  const texts = new Map(cases.map(({ id, question }) => [`the question of ${id}`, question]))
  for (const path of snapshot.files.keys()) texts.set(path, readText(snapshot, path) ?? '')
  return [...placesOfSecrets(texts, env)].map(([variable, places]) => {
    const shown = places.toSorted(byKind).slice(0, maxPlaces)
    const more = places.length - shown.length
    const where = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
    return `the value of ${variable} occurs in ${where} and is replaced by *** in prompts: unset ${variable}, or change it, if it is an ordinary word`
  })
}

/** Compares for sorting: files before questions. */
function byKind(a: string, b: string): number {
  return Number(a.startsWith('the question of ')) - Number(b.startsWith('the question of '))
}
