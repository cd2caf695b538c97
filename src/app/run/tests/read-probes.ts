import { probeFile, type ToolCase } from '../../../domains/tests/tool-case.js'
import { type Problem, problemsError } from '../../../snapshot/file-problem.js'
import type { Snapshot } from '../../../snapshot/snapshot.js'
import { checkSchema } from '../../../snapshot/validate-schema.js'
import { readYaml } from '../../../snapshot/yaml.js'
import type { SubagentDefinition } from '../../../subagent/definition-types.js'

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
