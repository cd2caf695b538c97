import { AutotestError } from '../errors.js'
import { nearest } from '../text/nearest-word.js'

/** What an agent of a role does, and the only thing that it does. */
export const cognitiveModes = [
  'planning',
  'forward synthesis (tests)',
  'forward synthesis (code)',
  'backward diagnosis',
  'validation',
] as const
export type CognitiveMode = (typeof cognitiveModes)[number]

/** Who works on a task, and what of the project they may write. */
export interface Role {
  readonly name: string
  /** Other names of it. */
  readonly aliases: readonly string[]
  readonly mode: CognitiveMode
  /** Folders with all that is in them, as `src/**`; relative to the project's root. */
  readonly writes: readonly string[]
  /** Names of files that it may not write, wherever they are: pytest or Python would run them by themselves. */
  readonly refuses: readonly string[]
  /** Tools of coding agents. */
  readonly tools: readonly string[]
  readonly deniedTools: readonly string[]
}

/** What runs or changes the tests without being named in them. */
const startedByThemselves = [
  ...[
    'conftest.py',
    'pytest.ini',
    '.pytest.ini',
    'pyproject.toml',
    'setup.cfg',
    'setup.py',
    'tox.ini',
    'noxfile.py',
  ],
  ...['sitecustomize.py', 'usercustomize.py', '*.pth', '*.egg-link', 'pytest.py', '_pytest.py'],
]

const readers = ['Read', 'Grep', 'Glob', 'Bash']

/** The roles that come with the program; a project's definitions may change what they write. */
export const defaultRoles: readonly Role[] = [
  {
    name: 'test-writer',
    aliases: [],
    mode: 'forward synthesis (tests)',
    writes: ['tests/unit/**', 'tests/integration/**'],
    refuses: ['sitecustomize.py', 'usercustomize.py', '*.pth'],
    tools: [...readers, 'Write', 'Edit'],
    deniedTools: [],
  },
  {
    name: 'coder',
    aliases: ['backend', 'frontend'],
    mode: 'forward synthesis (code)',
    writes: ['src/**'],
    refuses: startedByThemselves,
    tools: [...readers, 'Write', 'Edit'],
    deniedTools: [],
  },
  {
    name: 'debugger',
    aliases: [],
    mode: 'backward diagnosis',
    writes: [],
    refuses: [],
    tools: readers,
    deniedTools: ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'],
  },
]

/** Returns the role of a name or another name of it. Throws `role_unknown`. */
export function roleNamed(name: string, roles: readonly Role[] = defaultRoles): Role {
  const found = roles.find((role) => role.name === name || role.aliases.includes(name))
  if (found !== undefined) return found
  const names = roles.flatMap((role) => [role.name, ...role.aliases])
  const meant = nearest(name, names)
  throw new AutotestError('role_unknown', `there is no role "${name}"`, {
    hint: meant === undefined ? `Roles: ${names.join(', ')}.` : `did you mean ${meant}?`,
  })
}

/** Returns the folders that a role may write, relative to the project's root. */
export function writableFolders({ writes }: Role): readonly string[] {
  return writes.map((pattern) => (pattern === '**' ? '.' : pattern.replace(/\/\*\*$/, '')))
}
