import type { ExitCode } from '../../app/exit-code.js'
import {
  checkDefinition,
  checkToolScripts,
  requiredDefinitions,
} from '../../app/models/agent-definition-checks.js'
import { loadConfig } from '../../config/load.js'
import { AutotestError } from '../../errors.js'
import { loadSnapshot } from '../../snapshot/load.js'
import { definitionFiles } from '../../subagent/definition.js'
import type { CommandContext } from '../command-context.js'
import { renderError } from '../render-error.js'

/** Checks every definition in the agents folder, before anything runs. */
export async function agentCheckCommand(
  flags: { readonly config?: string | undefined },
  { terminal, cwd }: CommandContext,
): Promise<ExitCode> {
  const config = await loadConfig({ cwd, file: flags.config })
  const { root, agents } = config
  const { snapshot, problems } = await loadSnapshot(root, [agents])
  const present = definitionFiles(snapshot, agents)
  const names = new Set([...present, ...requiredDefinitions(config)])
  if (names.size === 0) {
    throw new AutotestError('agent_invalid', `${agents} contains no definition`, {
      hint: `Definitions are YAML files in ${agents}.`,
    })
  }
  let broken = problems.length
  for (const { path, message } of problems) terminal.err(`error  ${path}: ${message}`)
  for (const name of names) {
    try {
      const { warnings, model } = checkDefinition(snapshot, config, name)
      for (const warning of warnings) terminal.err(`warning  ${warning}`)
      terminal.out(`ok  ${agents}/${name}  ${model}`)
    } catch (error) {
      if (!(error instanceof AutotestError)) throw error
      broken++
      terminal.err(renderError(error, { color: terminal.color, verbose: false }))
    }
  }
  for (const { severity, text } of await checkToolScripts(snapshot, agents)) {
    if (severity === 'error') broken++
    terminal.err(`${severity.padEnd(7)}  ${text}`)
  }
  return broken === 0 ? 0 : 2
}
