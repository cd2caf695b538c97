import type { Problem } from '../snapshot/file-problem.js'
import type { YamlFile } from '../snapshot/yaml.js'

interface UnsupportedSetting {
  readonly path: readonly [string, ...string[]]
  /** Reports whether the value requires a feature that this version lacks. */
  readonly asks: (value: unknown) => boolean
  readonly what: (value: unknown) => string
  readonly hint: string
}

const unsupportedAgentKinds = ['subagent']

const unsupportedSettings: readonly UnsupportedSetting[] = [
  {
    path: ['agent', 'kind'],
    asks: (value) => typeof value === 'string' && unsupportedAgentKinds.includes(value),
    what: (value) => `agent kind \`${String(value)}\``,
    hint: 'Use template, module, command, http or llm.',
  },
]

/** Returns problems for keys of later versions that require features which this one lacks. */
export function findUnsupportedSettings(yaml: YamlFile): Problem[] {
  return unsupportedSettings.flatMap(({ path, asks, what, hint }) => {
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
