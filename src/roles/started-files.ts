import { posix } from 'node:path'

/** Whom a file is loaded by before, or instead of, what is asked for. */
export interface StartedFile {
  readonly by: string
  /** Whether it decides what becomes of tests. */
  readonly judges: boolean
}

/** What the tools of a project of JavaScript are called, by its lock, its manifest and what is installed; undefined where nobody says. */
export type ToolNames = ReadonlySet<string> | undefined

/** Names by which tools find their settings and scripts, as each documents them, whatever the project. */
const loaders: readonly (readonly [string, boolean, RegExp])[] = [
  ['Python at its start', true, /^(?:site|user)customize(?:\.|$)|\.pth$|\.egg-link$/],
  [
    'pytest',
    true,
    /^conftest\.py[cdo]?$|^\.?pytest\.(?:ini|toml)$|^(?:setup|tox|unittest)\.(?:cfg|ini)$|^pyproject\.toml$|^\.coveragerc$/,
  ],
  ['what builds and tests it', true, /^(?:setup|noxfile|toxfile|fabfile|dodo|conanfile|hatch_build)\.py$/],
  ['the test runner', true, /^(?:karma|protractor|wdio|cypress)\.conf\.\w+$|^vitest\.workspace\.\w+$/],
  ['TypeScript and its bundlers', true, /^[jt]sconfig(?:\.[\w-]+)?\.json$/],
  ['its runtime', true, /^(?:deno\.jsonc?|bunfig\.toml|import_map\.json)$/],
  [
    'the build',
    false,
    /^(?:gnu)?makefile$|^(?:cmakelists|cmakepresets)\.\w+$|^(?:meson\.build|sconstruct|sconscript|wscript|build\.rs|rakefile|gemfile|jenkinsfile|justfile|vagrantfile|procfile)$|^(?:dockerfile|containerfile)|^(?:gulp|grunt)file\.\w+$|^(?:pom\.xml|cargo\.toml|go\.mod|composer\.json|taskfile\.ya?ml)$|\.gradle(?:\.kts)?$|^(?:build|workspace|module)(?:\.bazel)$/,
  ],
]

const settingsOfTool = /^(.+?)\.config(?:\.[\w-]+)?\.(?:[cm]?[jt]sx?|json|toml|ya?ml)$/

/**
 * Returns by whom a file is loaded at the start of a tool because of its name; undefined where nobody does. `NAME.config.js` is a setting where NAME is a tool
 * of the project, or where nobody says which it has.
 */
export function startedFile(path: string, tools: ToolNames): StartedFile | undefined {
  // What Python imports at its start may be a folder as well.
  for (const segment of path.split('/')) {
    const name = foldName(segment)
    if (/^(?:site|user)customize(?:\.|$)/.test(name)) return { by: 'Python at its start', judges: true }
    if (/\.(?:dist|egg)-info$|^egg-info$/.test(name))
      return { by: 'whatever looks for installed plugins', judges: true }
  }
  const name = foldName(posix.basename(path))
  const known = loaders.find(([, , pattern]) => pattern.test(name))
  if (known !== undefined) return { by: known[0], judges: known[1] }
  const [, tool] = settingsOfTool.exec(name) ?? []
  if (tool !== undefined && (tools === undefined || tools.has(tool))) return { by: tool, judges: true }
  const mocked = mockedPackage(path)
  if (mocked !== undefined && (tools === undefined || tools.has(mocked)))
    return { by: `the tests, in place of the package ${mocked}`, judges: true }
  return undefined
}

/** Returns the package that a file in a folder `__mocks__` stands for: Jest takes it without being asked. */
function mockedPackage(path: string): string | undefined {
  const rest = path.split('/__mocks__/').at(-1)
  if (rest === undefined || rest === path) return undefined
  const [first = '', second] = rest.split('/').map((part) => part.replace(/\.[cm]?[jt]sx?$|\.json$/, ''))
  return (first.startsWith('@') && second !== undefined ? `${first}/${second}` : first).toLowerCase()
}

/** Returns a name as file systems compare it that keep no letter case. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase()
}
