import { createHash } from 'node:crypto'
import { z } from 'zod'
import { roles } from '../enums/role.js'
import { AutotestError } from '../errors.js'
import { type ProviderName, providerNames, type ToolSchema } from '../llm/provider.js'
import { packageRoot } from '../platform/built-module.js'
import { type Problem, problemsError } from '../snapshot/file-problem.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { validate } from '../snapshot/validate-schema.js'
import { parseYaml, type YamlFile } from '../snapshot/yaml.js'
import { resolveAgentPath } from './resolve-agent-path.js'
import { findEmptyKeywords, findLooseObjects, type LooseObject, schemaProblems } from './schema-problems.js'
import type { TemplateLocation } from './template-locations.js'
import { unknownProvider } from './unknown-provider.js'

/** The tool whose arguments are a subagent's result. */
export const submitResult = 'submit_result'

/** A model behind an endpoint, or a file of weights for a local server. */
export type ModelReference =
  | { readonly kind: 'endpoint'; readonly provider: ProviderName; readonly model: string }
  | { readonly kind: 'file'; readonly path: string }

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of type object. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Path of its script, relative to the project root; `submit_result` may have none. */
  readonly script: string | undefined
  /** Scripts whose results a call of it is given, relative to the project root. */
  readonly contextProviders: readonly string[]
}

/** A script whose result the model is shown before its first turn. */
interface ContextProvider {
  readonly name: string
  /** Relative to the project root. */
  readonly script: string
}

/** A role of a model: its instructions, its tools, and the answer it must give. */
export interface SubagentDefinition {
  readonly name: string
  readonly model: ModelReference
  readonly maxTurns: number
  readonly systemPrompt: string
  /** Jinja template of the request. */
  readonly nodeContext: string
  readonly places: { readonly systemPrompt: TemplateLocation; readonly nodeContext: TemplateLocation }
  readonly tools: readonly ToolDefinition[]
  readonly contextProviders: readonly ContextProvider[]
  /** Path in the snapshot. */
  readonly path: string
  /** Changes with every byte of the file. */
  readonly hash: string
}

export interface LoadedDefinition {
  readonly definition: SubagentDefinition
  readonly warnings: readonly Problem[]
}

const filled = z.string().refine((text) => text.trim() !== '', 'is empty')
const model = filled.refine((text) => !/^\w+:\s*$/.test(text.trim()), 'has no model')
/** The file of a script has two names: `script`, and `pym` as other programs have it. */
const scriptKeys = { script: filled.optional(), pym: filled.optional() }
const contextProvider = z.strictObject({ name: filled, ...scriptKeys })

const definitionFile = z.strictObject({
  name: z.string().regex(/^[A-Za-z][\w-]*$/, 'may only contain letters, digits, - and _'),
  model,
  max_turns: z.int().min(1, 'must be at least 1').max(1000, 'must be at most 1000').default(20),
  initial_context: z.strictObject({ system_prompt: filled, node_context: filled }),
  context_providers: z.array(contextProvider).default([]),
  tools: z.array(
    z.strictObject({
      name: z.string().regex(/^[A-Za-z_][\w-]{0,63}$/, 'may only contain letters, digits, - and _'),
      description: filled,
      parameters: z.record(z.string(), z.unknown()),
      ...scriptKeys,
      context_providers: z.array(filled).default([]),
    }),
  ),
})
type DefinitionFile = z.output<typeof definitionFile>

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

/** Returns warnings; throws errors. */
function problemsOf(
  file: DefinitionFile,
  yaml: YamlFile,
  snapshot: Snapshot,
  agentsFolder: string,
): Problem[] {
  const at = (path: readonly (string | number)[], message: string, hint: string): Problem => ({
    file: yaml.file,
    ...yaml.locate(path),
    message,
    hint,
  })
  const submits = file.tools.filter(({ name }) => name === submitResult).length
  if (submits !== 1) {
    const message = `AGENT_001: ${submits === 0 ? 'no tool' : `${submits} tools`} named ${submitResult}`
    throw problemsError('AGENT_001', [
      at(['tools'], message, `Define exactly one tool ${submitResult}: its arguments are the result.`),
    ])
  }
  const names = file.tools.map(({ name }) => name)
  const errors = file.tools.flatMap((tool, index): Problem[] => {
    const place = ['tools', index]
    return [
      ...(names.indexOf(tool.name) < index
        ? [at([...place, 'name'], `tool \`${tool.name}\` is defined twice`, 'Rename one of the two.')]
        : []),
      ...(tool.parameters['type'] === 'object'
        ? []
        : [at([...place, 'parameters'], '`parameters` must be a JSON Schema of `type: object`', 'Add it.')]),
      ...schemaProblems(tool.parameters).map((problem) =>
        at([...place, 'parameters'], problem, 'Correct it.'),
      ),
      ...(tool.name === submitResult && tool.script === undefined && tool.pym === undefined
        ? []
        : scriptProblems(tool, place, at, snapshot, agentsFolder)),
      ...tool.context_providers.flatMap((path, number) =>
        absentScript(path, [...place, 'context_providers', number], at, snapshot, agentsFolder),
      ),
    ]
  })
  const providers = file.context_providers.flatMap((provider, index) =>
    scriptProblems(provider, ['context_providers', index], at, snapshot, agentsFolder),
  )
  if (errors.length + providers.length > 0) throw problemsError('agent_invalid', [...errors, ...providers])
  const provider = unknownProvider(file.model)
  const schemas = file.tools.flatMap(({ name, parameters }, index) => {
    const warning = (message: string, hint: string) => at(['tools', index, 'parameters'], message, hint)
    return [
      ...findEmptyKeywords(parameters).map((key) =>
        warning(
          `\`parameters\` of ${name} have the key "${key}" without a value`,
          'Put a text with a comma inside { … } in quotes: endpoints that enforce schemas reject unknown keys.',
        ),
      ),
      ...findLooseObjects(parameters).flatMap((loose) =>
        describeLooseObject(name, loose).map((each) => warning(...each)),
      ),
    ]
  })
  return [...(provider === undefined ? [] : [at(['model'], provider.message, provider.hint)]), ...schemas]
}

/** Returns messages and hints. */
function describeLooseObject(tool: string, { path, isOpen, optional }: LooseObject): [string, string][] {
  const where = path === '' ? '' : ` in ${path}`
  const open: [string, string] = [
    `\`parameters\` of ${tool} lack \`additionalProperties: false\`${where}`,
    'Add it: endpoints that enforce schemas reject an object without it.',
  ]
  const left: [string, string] = [
    `\`required\` of ${tool} lacks ${optional.join(', ')}${where}`,
    'List every property, and allow null for optional ones: endpoints that enforce schemas reject other schemas.',
  ]
  return [...(isOpen ? [open] : []), ...(optional.length > 0 ? [left] : [])]
}

/** Returns what is wrong with the keys of a script: none, two, or a file that is not there. */
function scriptProblems(
  { script, pym }: { readonly script?: string | undefined; readonly pym?: string | undefined },
  place: readonly (string | number)[],
  at: (path: readonly (string | number)[], message: string, hint: string) => Problem,
  snapshot: Snapshot,
  agentsFolder: string,
): Problem[] {
  if (script !== undefined && pym !== undefined)
    return [
      at([...place, 'pym'], '`script` and `pym` both name the file of the script', 'Remove one of the two.'),
    ]
  const path = script ?? pym
  if (path === undefined) return [at(place, 'the tool has no `script`', 'Set it to the file of the script.')]
  return absentScript(path, [...place, script === undefined ? 'pym' : 'script'], at, snapshot, agentsFolder)
}

function absentScript(
  path: string,
  place: readonly (string | number)[],
  at: (path: readonly (string | number)[], message: string, hint: string) => Problem,
  snapshot: Snapshot,
  agentsFolder: string,
): Problem[] {
  const full = resolveAgentPath(agentsFolder, path)
  if (full !== undefined && snapshot.files.has(full)) return []
  return [at(place, `script ${path} does not exist in ${agentsFolder}`, 'Create it, or correct the path.')]
}
