import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { sqlExample } from '../../agent/llm.js'
import type { ExitCode } from '../../app/exit-code.js'
import { judgeExample } from '../../compare/llm-judge.js'
import type { Config } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import { type Role, roles } from '../../enums/role.js'
import { AutotestError } from '../../errors.js'
import { repairerExample } from '../../repair/propose/llm/variables.js'
import { loadSnapshot } from '../../snapshot/load.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { loadDefinition, type SubagentDefinition } from '../../subagent/definition.js'
import { checkRole, type RoleExample } from '../../subagent/role-check.js'
import { checkTemplate } from '../../subagent/template.js'
import type { CommandContext } from '../command-context.js'
import { renderError } from '../render-error.js'

/** What each role is told and must answer; a definition of another role is about code. */
const examples: Readonly<Partial<Record<Role, RoleExample>>> = {
  sql: sqlExample,
  judge: judgeExample,
  repairer: repairerExample,
}
const codeVariables = ['node_text', 'node_name', 'node_type', 'file_path']

/** Every definition in the agents folder: what is wrong with it, before anything runs. */
export async function agentCheckCommand(
  flags: { readonly config?: string | undefined },
  { terminal, cwd }: CommandContext,
): Promise<ExitCode> {
  const config = await loadConfig({ cwd, file: flags.config })
  const { root, agents } = config
  const { snapshot, problems } = await loadSnapshot(root, [agents])
  const present = [...snapshot.files.keys()]
    .filter((path) => path.startsWith(`${agents}/`) && /\.ya?ml$/.test(path))
    .map((path) => path.slice(agents.length + 1))
    .filter((name) => !name.includes('/'))
  const names = new Set([...present, ...requiredDefinitions(config)])
  if (names.size === 0) {
    throw new AutotestError('agent_invalid', `${agents} holds no definition`, {
      hint: `Definitions are YAML files directly in ${agents}.`,
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
  return broken === 0 ? 0 : 2
}

/** Definitions that a run with this configuration would read. */
export function requiredDefinitions({ agent, llm, repair }: Config): string[] {
  const repairs = repair.repairers?.includes('llm') ?? llm.configured
  const needed = new Set(llm.named.filter((role) => role !== 'sql'))
  if (repairs) needed.add('repairer')
  // What answers questions is named by the agent.
  const own = agent.kind === 'llm' ? [agent.definition] : []
  return [...own, ...[...needed].map((role) => llm.roles[role].definition)]
}

/** What a definition names and warns of. Throws `AGENT_001` or `agent_invalid` where it cannot play its role. */
export function checkDefinition(
  snapshot: Snapshot,
  config: Config,
  name: string,
): { readonly warnings: readonly string[]; readonly model: string } {
  const { definition, warnings } = loadDefinition(snapshot, config.agents, name)
  const { path, model } = definition
  checkForRoles(definition, rolesOf(name, definition, config))
  const missing = model.kind === 'file' && !existsSync(resolve(config.root, model.path))
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

/** The roles that a file is configured for; else the one it is named after; else it may be made for any. */
function rolesOf(file: string, { name }: SubagentDefinition, { agent, llm }: Config): readonly Role[] {
  const configured = roles.filter((role) => llm.roles[role].definition === file)
  if (agent.kind === 'llm' && agent.definition === file && !configured.includes('sql'))
    return [...configured, 'sql']
  if (configured.length > 0) return configured
  return roles.filter((role) => role === name)
}

function checkForRoles(definition: SubagentDefinition, known: readonly Role[]): void {
  for (const role of known) checkForRole(role, definition)
  if (known.length > 0) return
  const problems: unknown[] = []
  // Of a definition that fits no role, what its own would say is the better advice: the last is about code.
  for (const role of roles) {
    try {
      checkForRole(role, definition)
      return
    } catch (error) {
      problems.push(error)
    }
  }
  throw problems.find((problem) => !/unknown variable/.test(String(problem))) ?? problems.at(-1)
}

function checkForRole(role: Role, definition: SubagentDefinition): void {
  const example = examples[role]
  if (example !== undefined) {
    checkRole(definition, example)
    return
  }
  const { systemPrompt, nodeContext, places } = definition
  checkTemplate(systemPrompt, codeVariables, places.systemPrompt)
  checkTemplate(nodeContext, codeVariables, places.nodeContext)
}
