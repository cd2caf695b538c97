import { parsePython } from '../../../subagent/script/python-grammar.js'
import { readToolScript } from '../../../subagent/script/script-format.js'
import type { ToolCase } from '../tool-case.js'
import { scriptChanges } from './script-changes.js'
import type { ScriptFitness } from './script-fitness.js'

export interface SearchLimits {
  /** Number of changes that are tried in the whole search. */
  readonly changes: number
  /** Number of changes that are made one after the other. */
  readonly depth: number
}

const searchLimits: SearchLimits = { changes: 20_000, depth: 3 }
/** How many versions are changed further. */
const beam = 3
/** How many versions are tried at a time. */
const together = 4

interface Version {
  readonly text: string
  readonly wrong: number
  readonly rank: number
}

/**
 * Searches small changes of a script with which all its probes pass: those with which fewer fields are wrong are changed
 * further. Returns the texts that pass, the plainest first; none where there is nothing to go by.
 */
export async function searchScriptRepairs(
  text: string,
  probes: readonly ToolCase[],
  fitness: ScriptFitness,
  limits: SearchLimits = searchLimits,
): Promise<readonly string[]> {
  let left = limits.changes
  const start = await fitness.wrongFields(text, Number.POSITIVE_INFINITY)
  if (start === 0 || probes.length === 0) return []
  let versions: readonly Version[] = [{ text, wrong: start ?? Number.POSITIVE_INFINITY, rank: 0 }]
  for (let depth = 0; depth < limits.depth; depth++) {
    const better: Version[] = []
    for (const version of versions) {
      const { found, tried } = await triedChanges(version, probes, fitness, left)
      left -= tried
      const right = found.filter(({ wrong }) => wrong === 0)
      if (right.length > 0) return right.sort(byPlainness).map((each) => each.text)
      better.push(...found)
    }
    if (better.length === 0 || left <= 0) return []
    versions = better.sort((a, b) => a.wrong - b.wrong || byPlainness(a, b)).slice(0, beam)
  }
  return []
}

function byPlainness(a: Version, b: Version): number {
  return a.rank - b.rank || a.text.length - b.text.length
}

/**
 * Tries the changes of a version, the plainest kinds first: once one of a kind is right, no other kind is tried. What is found
 * is in the order of the changes, whichever of them ended first.
 */
async function triedChanges(
  version: Version,
  probes: readonly ToolCase[],
  fitness: ScriptFitness,
  most: number,
): Promise<{ readonly found: readonly Version[]; readonly tried: number }> {
  const found: { readonly at: number; readonly version: Version }[] = []
  const changes = (await changesOf(version.text, probes, fitness))[Symbol.iterator]()
  let [tried, rightRank] = [0, Number.POSITIVE_INFINITY]
  await Promise.all(
    Array.from({ length: together }, async () => {
      while (tried < most) {
        const next = changes.next()
        if (next.done === true || next.value.rank > rightRank) return
        const { text, rank } = next.value
        const at = tried++
        const wrong = await fitness.wrongFields(text, version.wrong - 1)
        if (wrong === undefined) continue
        found.push({ at, version: { text, wrong, rank: version.rank + rank } })
        if (wrong === 0) rightRank = Math.min(rightRank, rank)
      }
    }),
  )
  // One of another kind may have been under way when the right one was found.
  const kept = found.filter(({ version: { rank } }) => rank <= version.rank + rightRank)
  return { found: kept.sort((a, b) => a.at - b.at).map((each) => each.version), tried }
}

async function changesOf(text: string, probes: readonly ToolCase[], fitness: ScriptFitness) {
  const script = await readToolScript(text)
  const root = await parsePython(text)
  const resultKeys = new Map<string, Set<string>>()
  for (const { probe } of probes) collectKeys(probe.output, resultKeys)
  const words = [...new Set([...fitness.words(), ...resultKeys.keys(), ...stringsIn(text)])]
  return scriptChanges({
    ...{ text, root, resultKeys, words },
    externals: script.externals.map(({ name }) => name),
    fixed: [
      ...script.imports,
      ...script.externals.map(({ span }) => span),
      ...script.inputs.map(({ span }) => span),
    ],
  })
}

/** Collects the keys of a result, each with the single words that stand there. */
function collectKeys(value: unknown, keys: Map<string, Set<string>>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, each] of Object.entries(value)) {
    if (!Array.isArray(value) && key !== 'contains') {
      const texts = keys.get(key) ?? new Set()
      keys.set(key, texts)
      if (typeof each === 'string' && /^[a-z_]+$/.test(each)) texts.add(each)
    }
    collectKeys(each, keys)
  }
}

function stringsIn(text: string): string[] {
  return [...text.matchAll(/"([^"\\\n]{1,24})"/g)].map(([, content]) => content ?? '')
}
