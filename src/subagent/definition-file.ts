import { z } from 'zod'
import { cognitiveModes } from '../enums/cognitive-mode.js'
import { type Problem, problemsError } from '../snapshot/file-problem.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { YamlFile } from '../snapshot/yaml.js'
import { submitResult } from './definition-types.js'
import { resolveAgentPath } from './resolve-agent-path.js'
import { findEmptyKeywords, findLooseObjects, type LooseObject, schemaProblems } from './schema-problems.js'
import { unknownProvider } from './unknown-provider.js'

const filled = z.string().refine((text) => text.trim() !== '', 'is empty')
const model = filled.refine((text) => !/^\w+:\s*$/.test(text.trim()), 'has no model')
/** The file of a script has two names: `script`, and `pym` as other programs have it. */
const scriptKeys = { script: filled.optional(), pym: filled.optional() }
const contextProvider = z.strictObject({ name: filled, ...scriptKeys })

/** A pattern of paths relative to the project's root. */
const writePattern = filled.refine(
  (text) => !/^!?(\/|~|[A-Za-z]:)|\\|(^|\/)\.\.?(\/|$)/.test(text),
  'must be a pattern of paths within the project, as src/**',
)

/** What an agent of the definition may write of a project, and the tools that it has as a coding agent. */
const roleBlock = z.strictObject({
  mode: z.enum(cognitiveModes),
  writes: z.array(writePattern),
  refuses: z.array(filled).optional(),
  reads: z.array(writePattern).optional(),
  aliases: z.array(z.string().regex(/^[a-z][a-z0-9-]*$/, 'may only contain a-z, 0-9 and -')).default([]),
  tools: z.array(filled).min(1, 'must name a tool'),
  denied_tools: z.array(filled).default([]),
})

/** A definition as its file has it. */
export const definitionFile = z.strictObject({
  name: z.string().regex(/^[A-Za-z][\w-]*$/, 'may only contain letters, digits, - and _'),
  description: filled.optional(),
  model,
  role: roleBlock.optional(),
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
export type DefinitionFile = z.output<typeof definitionFile>

/** Returns warnings; throws errors. */
export function problemsOf(
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
