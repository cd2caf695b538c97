import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { sqlExample } from '../../agent/llm-agent.js'
import { judgeExample } from '../../compare/judge/llm-judge.js'
import type { Config } from '../../config/config.js'
import { repairerExample } from '../../domains/sql/repair/propose/llm/prompt-variables.js'
import { taskExamples } from '../../domains/tdd/llm-agents.js'
import { toolRepairerExample } from '../../domains/tests/repair/llm-proposer.js'
import { type Role, roles } from '../../enums/role.js'
import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import { loadDefinition } from '../../subagent/definition.js'
import type { SubagentDefinition } from '../../subagent/definition-types.js'
import { checkRole, type RoleExample } from '../../subagent/role-check.js'
import { readToolScript } from '../../subagent/script/script-format.js'
import { checkTemplate } from '../../subagent/template.js'

/** Example input and output of each role; definitions of other roles are about code. */
const examples: Readonly<Partial<Record<Role, readonly [RoleExample, ...RoleExample[]]>>> = {
  sql: [sqlExample],
  judge: [judgeExample],
  // Of a knowledge base, or of tools.
  repairer: [repairerExample, toolRepairerExample],
}
const codeVariables = ['node_text', 'node_name', 'node_type', 'file_path', 'test_path', 'spec']

/** Returns the definitions that a run with this configuration would read. */
export function requiredDefinitions({ agent, llm, repair }: Config): string[] {
  const repairs = repair.repairers?.includes('llm') ?? llm.configured
  const needed = new Set(llm.named.filter((role) => role !== 'sql'))
  if (repairs) needed.add('repairer')
  // The agent setting names the definition that answers questions.
  const own = agent.kind === 'llm' || agent.kind === 'subagent' ? [agent.definition] : []
  return [...own, ...[...needed].map((role) => llm.roles[role].definition)]
}

/**
 * Returns the references and warnings of a definition. Throws `AGENT_001` or `agent_invalid` where it cannot
 * play its role.
 */
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

/** A violation of the format of tool scripts. */
export interface ScriptFinding {
  readonly severity: 'error' | 'warning'
  /** `agents/test/tools/run_tests.pym:3:1  … (rule)`. */
  readonly text: string
}

/** Checks every tool script in the agents folder, without running one. */
export async function checkToolScripts(snapshot: Snapshot, agentsFolder: string): Promise<ScriptFinding[]> {
  const findings: ScriptFinding[] = []
  for (const path of snapshot.files.keys()) {
    if (!path.startsWith(`${agentsFolder}/`) || !path.endsWith('.pym')) continue
    const { problems } = await readToolScript(readText(snapshot, path) ?? '')
    for (const { severity, rule, line, column, message } of problems)
      findings.push({ severity, text: `${path}:${line}:${column}  ${message} (${rule})` })
  }
  return findings
}

/** Returns the roles that a file is configured for; else the one it is named after; else all. */
function rolesOf(file: string, { name }: SubagentDefinition, { agent, llm }: Config): readonly Role[] {
  const configured = roles.filter((role) => llm.roles[role].definition === file)
  if (agent.kind === 'llm' && agent.definition === file && !configured.includes('sql'))
    return [...configured, 'sql']
  if (agent.kind === 'subagent' && agent.definition === file && !configured.includes('test_writer'))
    return [...configured, 'test_writer']
  if (configured.length > 0) return configured
  return roles.filter((role) => role === name)
}

function checkForRoles(definition: SubagentDefinition, known: readonly Role[]): void {
  if (definition.role !== undefined) {
    const example = roles.flatMap((role) =>
      role.replace('_', '-') === definition.name ? (taskExamples[role] ?? []) : [],
    )
    for (const each of example) checkRole(definition, each)
    return
  }
  for (const role of known) checkForRole(role, definition)
  if (known.length > 0) return
  const problems: unknown[] = []
  // If a definition suits no role, the error of its own role is the better advice: the last role is about
  // code.
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

/** Checks a definition by the first example whose variables it knows; the first one explains what is wrong. */
function checkAnyRole(
  definition: SubagentDefinition,
  [first, ...others]: readonly [RoleExample, ...RoleExample[]],
): void {
  try {
    checkRole(definition, first)
  } catch (error) {
    for (const example of others) {
      try {
        checkRole(definition, example)
        return
      } catch {
        // The first error is about what the role mostly is.
      }
    }
    throw error
  }
}

function checkForRole(role: Role, definition: SubagentDefinition): void {
  const found = examples[role]
  if (found !== undefined) {
    checkAnyRole(definition, found)
    return
  }
  const { systemPrompt, nodeContext, places } = definition
  checkTemplate(systemPrompt, codeVariables, places.systemPrompt)
  checkTemplate(nodeContext, codeVariables, places.nodeContext)
}
