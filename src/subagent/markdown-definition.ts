import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Problem, problemsError } from '../snapshot/file-problem.js'
import { validate } from '../snapshot/validate-schema.js'
import { parseYaml } from '../snapshot/yaml.js'
import { type SubagentDefinition, submitResult, type ToolDefinition } from './definition-types.js'

/** A definition in Markdown, as coding agents have them: what it is in the frontmatter, its prompt below. */
export interface MarkdownDefinition {
  readonly definition: SubagentDefinition
  readonly warnings: readonly Problem[]
}

/** Tools by name, with those of the definition that each is from. */
export type KnownTools = ReadonlyMap<
  string,
  { readonly tool: ToolDefinition; readonly of: SubagentDefinition }
>

const defaultTurns = 20

/** `Read, Grep`, or a list. */
const names = z
  .union([z.string(), z.array(z.string())])
  .transform((value) =>
    (typeof value === 'string' ? value.split(',') : value).map((name) => name.trim()).filter(Boolean),
  )

const frontmatter = z.looseObject({
  name: z.string().regex(/^[A-Za-z][\w-]*$/, 'may only contain letters, digits, - and _'),
  description: z.string(),
  tools: names.optional(),
  disallowedTools: names.default([]),
  model: z.string().default('inherit'),
})

/**
 * Reads a definition in Markdown. Its tools are those of that name in the YAML definitions beside it; without `tools`,
 * all of them. Throws `AutotestError('agent_invalid')` with file and line.
 */
export function readMarkdownDefinition(
  bytes: Uint8Array,
  file: string,
  known: KnownTools,
): MarkdownDefinition {
  const text = new TextDecoder().decode(bytes)
  const lines = text.split('\n')
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---')
  const at = (line: number, message: string, hint: string): Problem => ({
    file,
    line,
    column: 1,
    message,
    hint,
  })
  if (lines[0]?.trimEnd() !== '---' || end < 0)
    throw problemsError('agent_invalid', [
      at(1, 'there is no frontmatter', 'Begin with `---`, `name:` and `description:`, and another `---`.'),
    ])
  // An empty line stands for the fence, so that lines are those of the file.
  const yaml = parseYaml(new TextEncoder().encode(`\n${lines.slice(1, end).join('\n')}\n`), file, {
    code: 'agent_invalid',
  })
  const head = validate(frontmatter, yaml, 'agent_invalid')
  const prompt = lines
    .slice(end + 1)
    .join('\n')
    .trim()
  if (prompt === '')
    throw problemsError('agent_invalid', [
      at(end + 1, 'there is no prompt', 'Write it below the frontmatter.'),
    ])
  const asked = head.tools ?? [...known.keys()]
  const unknown = asked.filter((name) => !known.has(name))
  const tools = asked
    .filter((name) => name !== submitResult && !head.disallowedTools.includes(name))
    .flatMap((name) => known.get(name) ?? [])
  const [first] = tools
  const submit = first?.of.tools.find(({ name }) => name === submitResult)
  const place = yaml.locate(head.tools === undefined ? ['name'] : ['tools'])
  if (first === undefined || submit === undefined)
    throw problemsError('agent_invalid', [
      {
        ...{ file, ...place },
        message: 'none of its tools is one of autotest',
        hint: `There are ${[...known.keys()].join(', ') || 'none: define them in a YAML definition beside it'}.`,
      },
    ])
  const location = (key: string) => ({ file, key, line: end + 2, isLiteral: false })
  return {
    definition: {
      name: head.name,
      // `inherit` and the short names of coding agents name no endpoint: the model of the tools' definition is used.
      model: /[:/.]|^gpt-|^claude-/.test(head.model)
        ? { kind: 'endpoint', provider: 'openai', model: head.model.replace(/^openai:/, '') }
        : first.of.model,
      maxTurns: defaultTurns,
      systemPrompt: prompt,
      nodeContext: first.of.nodeContext,
      places: { systemPrompt: location('prompt'), nodeContext: first.of.places.nodeContext },
      tools: [...tools.map(({ tool }) => tool), submit],
      contextProviders: first.of.contextProviders,
      path: file,
      hash: createHash('sha256').update(bytes).digest('hex'),
    },
    warnings: unknown.map((name) => ({
      ...{ file, ...place },
      message: `the tool ${name} is none of autotest: it is left out`,
      hint: `There are ${[...known.keys()].join(', ')}.`,
    })),
  }
}

const mark = '<!-- Written by `autotest agent export` from '

/** Renders a definition as coding agents read it. */
export function renderMarkdownDefinition({ name, tools, systemPrompt, path }: SubagentDefinition): string {
  const listed = tools.map((tool) => tool.name).join(', ')
  const title = systemPrompt.trim().split('\n', 1)[0] ?? name
  const head = [
    `name: ${name.replaceAll('_', '-')}`,
    `description: ${JSON.stringify(title)}`,
    `tools: ${listed}`,
    'model: inherit\n',
  ].join('\n')
  return markedExport(path, head, systemPrompt)
}

/** Returns a file with frontmatter and a mark by which another export sees whether somebody has changed either. */
export function markedExport(origin: string, head: string, text: string): string {
  const start = `---\n${head}---\n\n`
  const body = `${text.trim()}\n`
  return `${start}${mark}${origin}, ${fingerprintOf(start, body)}. What is changed by hand is kept. -->\n\n${body}`
}

/** Reports whether an exported file is as it was written, so that another export may replace it. */
export function isUntouchedExport(text: string): boolean {
  const at = text.indexOf(mark)
  if (at < 0) return false
  const close = text.indexOf('-->', at)
  const known = /, ([0-9a-f]{12})\. /.exec(text.slice(at, close))?.[1]
  return known === fingerprintOf(text.slice(0, at), `${text.slice(close + 3).trim()}\n`)
}

function fingerprintOf(start: string, body: string): string {
  return createHash('sha256').update(start).update(body).digest('hex').slice(0, 12)
}
