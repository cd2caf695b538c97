import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { AutotestError } from '../../errors.js'
import { validate } from '../../snapshot/validate-schema.js'
import { parseYaml } from '../../snapshot/yaml.js'

const drift = z.strictObject({
  id: z.string(),
  class: z.string(),
  title: z.string(),
  metrics: z.array(z.string()),
  edits: z.array(z.strictObject({ file: z.string(), search: z.string(), replace: z.string() })).min(1),
  expect: z.enum(['repaired', 'needs_person']),
  cause: z.string(),
  cases: z.array(z.string()).min(1),
  max_changed_lines: z.strictObject({ added: z.number(), removed: z.number() }).optional(),
})

/** One documented change that makes the sample drift, and its expected outcome in the loop. */
export type Drift = z.output<typeof drift>

export async function loadDrifts(path: string): Promise<readonly Drift[]> {
  const yaml = parseYaml(await readFile(path), 'demo/drift.yaml')
  return validate(z.array(drift).min(1), yaml, 'config_invalid')
}

/** Returns a file's text with the edits of one drift in that file. */
export function applyDrift(text: string, path: string, { id, edits }: Drift): string {
  return edits
    .filter((edit) => edit.file === path)
    .reduce((current, { search, replace }) => {
      if (current.split(search).length !== 2) {
        throw new AutotestError(
          'edit_conflict',
          `drift ${id}: ${path} must contain its text exactly once: ${search}`,
          {
            hint: 'The sample project was changed; restore it with git.',
          },
        )
      }
      return current.replace(search, () => replace)
    }, text)
}
