import { parsePython } from '../../../subagent/script/python-grammar.js'
import { readToolScript } from '../../../subagent/script/script-format.js'
import type { ToolCase } from '../tool-case.js'
import { scriptChanges } from './script-changes.js'
import type { ScriptFitness } from './script-fitness.js'

export interface SearchLimits {
  /** Milliseconds for the whole search. */
  readonly ms: number
  /** Number of changes that are made one after the other. */
  readonly depth: number
}

export const searchLimits: SearchLimits = { ms: 60_000, depth: 3 }
/** How many versions are changed further. */
const beam = 3

/**
 * Searches small changes of a script with which all its probes pass: those with which fewer fields are wrong are changed
 * further. Returns the texts that pass, the smallest change first; none where there is nothing to go by.
 */
export async function searchScriptRepairs(
  text: string,
  probes: readonly ToolCase[],
  fitness: ScriptFitness,
  limits: SearchLimits = searchLimits,
): Promise<readonly string[]> {
  const until = performance.now() + limits.ms
  const start = await fitness.wrongFields(text, Number.POSITIVE_INFINITY)
  if (start === 0 || probes.length === 0) return []
  let versions: { readonly text: string; readonly wrong: number; readonly size: number }[] = [
    { text, wrong: start ?? Number.POSITIVE_INFINITY, size: 0 },
  ]
  for (let depth = 0; depth < limits.depth; depth++) {
    const better: typeof versions = []
    const right: typeof versions = []
    for (const version of versions) {
      for await (const change of changesOf(version.text, probes, fitness)) {
        if (performance.now() > until) break
        const wrong = await fitness.wrongFields(change.text, version.wrong - 1)
        if (wrong === undefined) continue
        const found = { text: change.text, wrong, size: version.size + change.size }
        if (wrong === 0) right.push(found)
        else better.push(found)
      }
      if (right.length > 0) break
    }
    if (right.length > 0) return right.sort((a, b) => a.size - b.size).map((each) => each.text)
    if (better.length === 0 || performance.now() > until) return []
    versions = better.sort((a, b) => a.wrong - b.wrong || a.size - b.size).slice(0, beam)
  }
  return []
}

async function* changesOf(text: string, probes: readonly ToolCase[], fitness: ScriptFitness) {
  const script = await readToolScript(text)
  const root = await parsePython(text)
  const resultKeys = [...new Set(probes.flatMap(({ probe }) => keysIn(probe.output)))]
  const words = [...new Set([...fitness.words(), ...resultKeys, ...stringsIn(text)])]
  yield* scriptChanges({
    text,
    root,
    resultKeys,
    words,
    fixed: [
      ...script.imports,
      ...script.externals.map(({ span }) => span),
      ...script.inputs.map(({ span }) => span),
    ],
  })
}

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value).filter((key) => key !== 'contains')
  return [...own, ...Object.values(value).flatMap(keysIn)]
}

function stringsIn(text: string): string[] {
  return [...text.matchAll(/"([^"\\\n]{1,24})"/g)].map(([, content]) => content ?? '')
}
