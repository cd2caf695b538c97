import { z } from 'zod'
import type { BenchmarkCase } from '../../benchmark/case.js'
import { type Problem, problemsError } from '../../snapshot/file-problem.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { checkSchema } from '../../snapshot/validate-schema.js'
import { readYaml } from '../../snapshot/yaml.js'
import type { SubagentDefinition } from '../../subagent/definition.js'

/** One call of a tool in a small workspace, and what it should give: a case about the tool itself. */
export interface ToolCase extends BenchmarkCase {
  readonly kind: 'tool'
  readonly tool: string
  /** Path of its script, relative to the project root. */
  readonly script: string
  readonly probe: Probe
}

const text = z.string().refine((each) => each.trim() !== '', 'is empty')
const path = text.refine(
  (each) => !/^\/|(?:^|\/)\.\.(?:\/|$)/.test(each),
  'must be relative to the workspace',
)

const probe = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'may only contain small letters, digits and dashes'),
  /** Texts by path. */
  files: z.record(path, z.string()).default({}),
  target: z
    .strictObject({ path, function: text, test_path: path })
    .default({ path: 'pricing.py', function: 'total', test_path: 'tests/test_pricing.py' }),
  /** What the agent did before: files it wrote, and the test file that it ran last. */
  wrote: z.record(path, z.string()).default({}),
  ran: path.optional(),
  input: z.record(z.string(), z.unknown()).default({}),
  /** Fields of the result; `{contains: …}` for a text. */
  output: z.unknown().optional(),
  /** Part of the message, for a call that must fail. */
  fails: text.optional(),
  /** Texts of files afterwards; null for one that must not be there. */
  written: z.record(path, z.string().nullable()).default({}),
})

/** A workspace, a call and what it should give. */
export type Probe = z.output<typeof probe>

const probeFile = z.strictObject({ probes: z.array(probe).min(1, 'is empty') })

/**
 * Returns the probes of a definition's tools and context providers: `NAME.probes.yaml` beside each script. Throws
 * `benchmark_invalid` with every problem of every file.
 */
export function probesOf(definition: SubagentDefinition, snapshot: Snapshot): readonly ToolCase[] {
  const scripts = [
    ...definition.tools.flatMap(({ name, script }) => (script === undefined ? [] : [{ name, script }])),
    ...definition.contextProviders.map(({ name, script }) => ({ name, script })),
  ]
  const problems: Problem[] = []
  const cases: ToolCase[] = []
  for (const { name, script } of scripts) {
    const file = script.replace(/\.pym$/, '.probes.yaml')
    const bytes = snapshot.files.get(file)
    if (bytes === undefined || file === script) continue
    const read = readYaml(bytes, file, { maxBytes: 1_000_000 })
    if (read.kind === 'problem') {
      problems.push(read.problem)
      continue
    }
    const checked = checkSchema(probeFile, read.file)
    if (checked.kind === 'problems') {
      problems.push(...checked.problems)
      continue
    }
    const stem = script.slice(script.lastIndexOf('/') + 1).replace(/\.pym$/, '')
    checked.value.probes.forEach((each, at) => {
      cases.push({
        kind: 'tool',
        id: `${stem}/${each.id}`,
        question: `tool ${name}: ${each.id.replaceAll('-', ' ')}`,
        tags: ['tools', stem],
        location: { file, ...read.file.locate(['probes', at]) },
        tool: name,
        script,
        probe: each,
      })
    })
  }
  if (problems.length > 0) throw problemsError('benchmark_invalid', problems)
  return cases
}
