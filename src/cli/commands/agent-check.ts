import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { sqlVariables } from '../../agent/llm.js'
import { judgeVariables } from '../../compare/llm-judge.js'
import { loadConfig } from '../../config/load.js'
import { AutotestError } from '../../errors.js'
import { repairerVariables } from '../../repair/propose/llm/variables.js'
import { loadSnapshot } from '../../snapshot/load.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { loadDefinition } from '../../subagent/definition.js'
import { checkTemplate } from '../../subagent/template.js'
import type { CommandContext } from '../command-context.js'
import type { ExitCode } from '../exit-code.js'
import { renderError } from '../render-error.js'

/** What the templates of each role may use; any other definition is about code. */
const variablesOf: Readonly<Record<string, readonly string[]>> = {
  sql: sqlVariables,
  judge: judgeVariables,
  repairer: repairerVariables,
}
const codeVariables = ['node_text', 'node_name', 'node_type', 'file_path']

/** Every definition in the agents folder: what is wrong with it, before anything runs. */
export async function agentCheckCommand(
  flags: { readonly config?: string | undefined },
  { terminal, cwd }: CommandContext,
): Promise<ExitCode> {
  const { root, agents } = await loadConfig({ cwd, file: flags.config })
  const { snapshot, problems } = await loadSnapshot(root, [agents])
  const names = [...snapshot.files.keys()]
    .filter((path) => path.startsWith(`${agents}/`) && /\.ya?ml$/.test(path))
    .map((path) => path.slice(agents.length + 1))
    .filter((name) => !name.includes('/'))
  if (names.length === 0) {
    throw new AutotestError('agent_invalid', `${agents} holds no definition`, {
      hint: `Definitions are YAML files directly in ${agents}.`,
    })
  }
  let broken = problems.length
  for (const { path, message } of problems) terminal.err(`error  ${path}: ${message}`)
  for (const name of names) {
    try {
      const { warnings, model } = checkDefinition(snapshot, root, agents, name)
      for (const warning of warnings) terminal.err(`warning  ${warning}`)
      terminal.out(`ok  ${agents}/${name}  ${model}`)
    } catch (error) {
      if (!(error instanceof AutotestError)) throw error
      broken++
      terminal.err(renderError(error, { color: terminal.color, verbose: false }))
    }
  }
  return broken === 0 ? 0 : 2
}

function checkDefinition(
  snapshot: Snapshot,
  root: string,
  agents: string,
  name: string,
): { readonly warnings: readonly string[]; readonly model: string } {
  const { definition, warnings } = loadDefinition(snapshot, agents, name)
  const { path, systemPrompt, nodeContext, model } = definition
  const variables = variablesOf[definition.name] ?? codeVariables
  checkTemplate(systemPrompt, variables, `${path}: system_prompt`)
  checkTemplate(nodeContext, variables, `${path}: node_context`)
  const missing = model.kind === 'file' && !existsSync(resolve(root, model.path))
  return {
    model: model.kind === 'file' ? model.path : `${model.provider}:${model.model}`,
    warnings: [
      ...warnings.map(
        ({ file, line, column, message, hint }) => `${file}:${line}:${column}  ${message} (${hint})`,
      ),
      ...(missing ? [`${path}: the model file ${model.path} does not exist`] : []),
    ],
  }
}
