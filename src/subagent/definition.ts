import { createHash } from 'node:crypto'
import { roles } from '../enums/role.js'
import { AutotestError } from '../errors.js'
import { providerNames, type ToolSchema } from '../llm/provider.js'
import { packageRoot } from '../platform/built-module.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { validate } from '../snapshot/validate-schema.js'
import { parseYaml, type YamlFile } from '../snapshot/yaml.js'
import { type DefinitionFile, definitionFile, problemsOf } from './definition-file.js'
import type {
  DefinedRole,
  LoadedDefinition,
  ModelReference,
  SubagentDefinition,
  ToolDefinition,
} from './definition-types.js'
import { type KnownTools, readMarkdownDefinition } from './markdown-definition.js'
import { resolveAgentPath } from './resolve-agent-path.js'
import type { TemplateLocation } from './template-locations.js'

const loaded = new WeakMap<Uint8Array, LoadedDefinition>()

/**
 * Loads the definition in a file of the snapshot. Throws `AutotestError`: `AGENT_001` if `submit_result` is
 * missing or duplicated, `agent_invalid` for any other error, each with `file:line:column`.
 *
 * @param path relative to the agents folder
 */
export function loadDefinition(snapshot: Snapshot, agentsFolder: string, path: string): LoadedDefinition {
  const full = resolveAgentPath(agentsFolder, path)
  const bytes = full === undefined ? undefined : snapshot.files.get(full)
  if (full === undefined || bytes === undefined) {
    throw new AutotestError('agent_invalid', `${agentsFolder}/${path}: no such definition`, {
      hint: shippedHint(agentsFolder, path) ?? 'Give a YAML file in the agents folder, as in llm:sql.yaml.',
    })
  }
  if (full.endsWith('.md')) return readMarkdownDefinition(bytes, full, toolsIn(snapshot, agentsFolder))
  const known = loaded.get(bytes)
  if (known !== undefined) return known
  const yaml = parseYaml(bytes, full, { code: 'agent_invalid' })
  const file = validate(definitionFile, yaml, 'agent_invalid')
  const result = {
    definition: definitionOf(file, yaml, agentsFolder, bytes),
    warnings: problemsOf(file, yaml, snapshot, agentsFolder),
  }
  loaded.set(bytes, result)
  return result
}

/** Returns the tools of every definition in YAML, by name; of equal names the first. */
function toolsIn(snapshot: Snapshot, agentsFolder: string): KnownTools {
  const tools = new Map<string, { readonly tool: ToolDefinition; readonly of: SubagentDefinition }>()
  for (const path of definitionFiles(snapshot, agentsFolder)) {
    if (path.endsWith('.md')) continue
    const { definition } = loadDefinition(snapshot, agentsFolder, path)
    // Roles with an answer alone have no tools to lend.
    if (definition.tools.length < 2) continue
    for (const tool of definition.tools)
      if (!tools.has(tool.name)) tools.set(tool.name, { tool, of: definition })
  }
  return tools
}

/** Returns the files with definitions, relative to the agents folder: others are there as well. */
export function definitionFiles({ files }: Snapshot, agentsFolder: string): readonly string[] {
  return [...files]
    .filter(([path]) => path.startsWith(`${agentsFolder}/`))
    .map(([path, bytes]) => [path.slice(agentsFolder.length + 1), bytes] as const)
    .filter(([name, bytes]) => isDefinition(name, bytes))
    .map(([name]) => name)
}

function isDefinition(name: string, bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes)
  if (name.endsWith('.md')) return /^---\r?\n[\s\S]*?^name:[\s\S]*?^---/m.test(text)
  if (!/\.ya?ml$/.test(name) || name.endsWith('.probes.yaml')) return false
  // Folders hold other files as well: there a definition is known by its prompt.
  return !name.includes('/') || /^initial_context:/m.test(text)
}

/** Returns the hint to copy a missing definition from those that are shipped. */
function shippedHint(agentsFolder: string, path: string): string | undefined {
  const role = roles.find((name) => path === `${name}.yaml`)
  return (
    role &&
    `Copy ${packageRoot}agents/${path} to ${agentsFolder}/, as a starting point, or use another file there.`
  )
}

/** Returns tools in the form of OpenAI-style endpoints, each with its schema enforced. */
export function toolSchemas({ tools }: SubagentDefinition): ToolSchema[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, strict: true, parameters },
  }))
}

export function toolsByName({ tools }: SubagentDefinition): ReadonlyMap<string, ToolDefinition> {
  return new Map(tools.map((tool) => [tool.name, tool]))
}

/** Parses `openai:gpt-5-mini`, or a path to weights relative to the agents folder. */
export function modelReference(text: string, agentsFolder: string): ModelReference {
  if (text.endsWith('.gguf')) return { kind: 'file', path: resolveAgentPath(agentsFolder, text) ?? text }
  // Models have colons in their own names, too: llama3:8b.
  const provider = providerNames.find((name) => text.startsWith(`${name}:`))
  if (provider === undefined) return { kind: 'endpoint', provider: 'openai', model: text }
  return { kind: 'endpoint', provider, model: text.slice(provider.length + 1) }
}

function roleOf({ denied_tools: deniedTools, ...rest }: NonNullable<DefinitionFile['role']>): DefinedRole {
  return { ...rest, deniedTools }
}

/** Matches a key with a literal block, whose lines correspond to those of the file. */
const literalBlock = /:\s+\|[-+\d]*\s*(?:#.*)?$/

function definitionOf(
  file: DefinitionFile,
  yaml: YamlFile,
  agentsFolder: string,
  bytes: Uint8Array,
): SubagentDefinition {
  const lines = new TextDecoder().decode(bytes).split('\n')
  const place = (key: string): TemplateLocation => {
    const { line } = yaml.locate(['initial_context', key])
    return { file: yaml.file, key, line, isLiteral: literalBlock.test(lines[line - 1] ?? '') }
  }
  const inFolder = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolveAgentPath(agentsFolder, path)
  return {
    name: file.name,
    description: file.description,
    role: file.role === undefined ? undefined : roleOf(file.role),
    model: modelReference(file.model, agentsFolder),
    maxTurns: file.max_turns,
    systemPrompt: file.initial_context.system_prompt,
    nodeContext: file.initial_context.node_context,
    places: { systemPrompt: place('system_prompt'), nodeContext: place('node_context') },
    tools: file.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      script: inFolder(tool.script ?? tool.pym),
      contextProviders: tool.context_providers.flatMap((path) => inFolder(path) ?? []),
    })),
    contextProviders: file.context_providers.map((provider) => ({
      name: provider.name,
      script: inFolder(provider.script ?? provider.pym) ?? '',
    })),
    path: yaml.file,
    hash: createHash('sha256').update(bytes).digest('hex'),
  }
}
