import picomatch from 'picomatch'
import type { CognitiveMode } from '../enums/cognitive-mode.js'
import { AutotestError } from '../errors.js'
import { nearest } from '../text/nearest-word.js'

/** Who works on a task, and what of the project they may write. */
export interface Role {
  readonly name: string
  readonly description: string
  /** Other names of it. */
  readonly aliases: readonly string[]
  readonly mode: CognitiveMode
  /** Patterns of paths relative to the project's root, as `src/**`; one that begins with `!` takes out what the others allow. */
  readonly writes: readonly string[]
  /** Names of files that it may not write, wherever they are: pytest or Python would run them by themselves. */
  readonly refuses: readonly string[]
  /** Patterns of files with keys or passwords that it needs, as `.env.test`; absent: none. */
  readonly reads?: readonly string[] | undefined
  /** Tools of coding agents. */
  readonly tools: readonly string[]
  readonly deniedTools: readonly string[]
  /** What an agent of the role is told. */
  readonly prompt: string
}

/** What Python itself runs at its start. */
const startedByPython = ['sitecustomize.py', 'usercustomize.py', '*.pth', '*.egg-link']

/** What runs or changes the tests without being named in them. */
const startedByTests = [
  ...['conftest.py', 'pytest.ini', '.pytest.ini', 'pyproject.toml', 'setup.cfg', 'setup.py'],
  ...['tox.ini', 'noxfile.py', 'pytest.py', '_pytest.py'],
]

const readers = ['Read', 'Grep', 'Glob', 'Bash']

/** The roles that come with the program; definitions in the agents folder of a project change them. */
export const defaultRoles: readonly Role[] = [
  {
    name: 'test-writer',
    description:
      'Test specification writer. Creates test files from design specs before implementation begins. Use for the RED phase of TDD.',
    aliases: [],
    mode: 'forward synthesis (tests)',
    writes: ['tests/unit/**', 'tests/integration/**'],
    refuses: startedByPython,
    tools: [...readers, 'Write', 'Edit'],
    deniedTools: [],
    prompt: 'You write tests from a specification, before the code is there. You write no code but tests.',
  },
  {
    name: 'coder',
    description:
      'Implementation writer. Writes the least code that makes the tests of a task pass. Use for GREEN and REFACTOR.',
    aliases: ['backend', 'frontend'],
    mode: 'forward synthesis (code)',
    writes: ['src/**'],
    refuses: [...startedByPython, ...startedByTests],
    tools: [...readers, 'Write', 'Edit'],
    deniedTools: [],
    prompt: 'You write the least code that makes given tests pass. You change no test.',
  },
  {
    name: 'debugger',
    description:
      'Backward diagnosis specialist. Analyzes repeated test failures to produce root-cause analysis and fix instructions. Invoked after 3+ consecutive failures.',
    aliases: [],
    mode: 'backward diagnosis',
    writes: [],
    refuses: [],
    tools: readers,
    deniedTools: ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'],
    prompt: 'You find out why tests fail, from the failing assertion backward, and change nothing.',
  },
]

/** Returns what a role may not write by default, by what it does. */
export function refusedByDefault(mode: CognitiveMode): readonly string[] {
  return mode === 'forward synthesis (code)' ? [...startedByPython, ...startedByTests] : startedByPython
}

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

/**
 * Returns the folders that hold all that a role may write, relative to the project's root, `.` for the whole project; a folder is not named where one
 * around it is.
 */
export function writableFolders({ writes }: Role): readonly string[] {
  const folders = writes
    .filter((pattern) => !pattern.startsWith('!'))
    .map((pattern) => {
      const { base } = picomatch.scan(pattern)
      return base === '' ? '.' : base
    })
  const unique = [...new Set(folders)]
  if (unique.includes('.')) return ['.']
  return unique.filter((folder) => !unique.some((other) => folder.startsWith(`${other}/`)))
}

/** Reports whether a path, relative to the project's root, matches what a role may write. */
export function isWrittenBy({ writes }: Role, path: string): boolean {
  const options = { dot: false, nocase: false, strictSlashes: true }
  const matches = (pattern: string): boolean => picomatch.isMatch(path, pattern, options)
  return (
    writes.some((pattern) => !pattern.startsWith('!') && matches(pattern)) &&
    !writes.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1)))
  )
}
