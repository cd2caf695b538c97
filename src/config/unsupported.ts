import type { Problem } from '../snapshot/problem.js'
import type { YamlFile } from '../snapshot/yaml.js'

interface Later {
  readonly path: readonly [string, ...string[]]
  /** Whether the value asks for what this version lacks. */
  readonly asks: (value: unknown) => boolean
  readonly what: (value: unknown) => string
  readonly hint: string
}

const laterAgents = ['http', 'llm', 'subagent']

const later: readonly Later[] = [
  {
    path: ['llm'],
    asks: (value) => value !== undefined,
    what: () => '`llm`',
    hint: 'Remove it: nothing calls a language model.',
  },
  {
    path: ['agent', 'kind'],
    asks: (value) => typeof value === 'string' && laterAgents.includes(value),
    what: (value) => `agent kind \`${String(value)}\``,
    hint: 'Use template, module or command; a program can call what it likes.',
  },
  {
    path: ['repair', 'repairer'],
    asks: (value) => value === 'llm' || (Array.isArray(value) && value.includes('llm')),
    what: () => 'repairer `llm`',
    hint: 'Use [rules].',
  },
  {
    path: ['repair', 'show_expected'],
    asks: (value) => value === true,
    what: () => '`show_expected`',
    hint: 'Remove it, or write false.',
  },
]

/** Keys of later versions that ask for what this one lacks. */
export function unsupported(yaml: YamlFile): Problem[] {
  return later.flatMap(({ path, asks, what, hint }) => {
    const value = path.reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
      yaml.data,
    )
    if (!asks(value)) return []
    return [
      {
        file: yaml.file,
        ...yaml.locate(path),
        message: `${what(value)} is not supported in this version`,
        hint,
      },
    ]
  })
}
