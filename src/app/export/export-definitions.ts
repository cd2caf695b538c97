import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.js'
import { AutotestError } from '../../errors.js'
import { loadSnapshot } from '../../snapshot/load.js'
import { definitionFiles, loadDefinition } from '../../subagent/definition.js'
import { renderMarkdownDefinition } from '../../subagent/markdown-definition.js'
import { type ExportedFile, writeWhole } from './exported-file.js'

/**
 * Writes each YAML definition with tools as a Markdown file with frontmatter.
 *
 * @param to folder, relative to `cwd`; it is created
 */
export async function exportDefinitions(
  { root, agents }: Pick<Config, 'root' | 'agents'>,
  to: string,
  cwd: string,
): Promise<readonly ExportedFile[]> {
  const { snapshot } = await loadSnapshot(root, [agents])
  const definitions = definitionFiles(snapshot, agents)
    .filter((name) => !name.endsWith('.md'))
    .map((name) => loadDefinition(snapshot, agents, name).definition)
    // Roles are exported with what holds them.
    .filter(({ tools, role }) => tools.length > 1 && role === undefined)
  if (definitions.length === 0)
    throw new AutotestError('agent_invalid', `${agents} contains no definition with tools`, {
      hint: 'Only agents with tools are exported; agents/test/test_subagent.yaml is one.',
    })
  const exported: ExportedFile[] = []
  for (const definition of definitions) {
    const path = join(resolve(cwd, to), `${definition.name.replaceAll('_', '-')}.md`)
    exported.push(await writeWhole(path, renderMarkdownDefinition(definition)))
  }
  return exported
}
