import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'

const drift = z.strictObject({
  id: z.string(),
  class: z.string(),
  title: z.string(),
  metrics: z.array(z.string()).min(1),
  edits: z.array(z.strictObject({ file: z.string(), search: z.string(), replace: z.string() })).min(1),
  expect: z.enum(['repaired', 'needs_person']),
  cause: z.enum(['wrong_definition', 'missing_alias', 'missing_value', 'suspect_oracle']),
  cases: z.array(z.string()).min(1),
  max_changed_lines: z.strictObject({ added: z.int(), removed: z.int() }),
})

export type Drift = z.output<typeof drift>

/** The documented drifts of the demo, in order. */
export const drifts: readonly Drift[] = z.array(drift).parse(parse(readFileSync('demo/drift.yaml', 'utf8')))

/** The files that a drift changes, as it leaves them. Throws where a `search` does not stand exactly once. */
export function driftedFiles({ id, edits }: Drift): Map<string, string> {
  const files = new Map<string, string>()
  for (const { file, search, replace } of edits) {
    const text = files.get(file) ?? readFileSync(file, 'utf8')
    const parts = text.split(search)
    if (parts.length !== 2) throw new Error(`${id}: found ${parts.length - 1} times in ${file}: ${search}`)
    files.set(file, parts.join(replace))
  }
  return files
}
