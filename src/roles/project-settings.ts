import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { literalPattern } from '../text/literal-pattern.js'
import { parseJson } from '../text/parse-json.js'
import type { ToolNames } from './started-files.js'

/** What the settings of a project say about where tools find things. */
export interface ProjectSettings {
  /** Folders where imports begin, relative to the root. */
  readonly pythonPath: readonly string[]
  readonly tools: ToolNames
  /** Returns the setting that names a file as something that a tool loads before the tests; undefined if none does. */
  loadedBy(path: string): string | undefined
}

const pythonSettings = [
  ...['pyproject.toml', 'pytest.ini', '.pytest.ini', 'pytest.toml', '.pytest.toml', 'tox.ini', 'setup.cfg'],
  ...['conftest.py', 'tests/conftest.py', 'test/conftest.py', 'Makefile', 'noxfile.py'],
]
const scriptSettings =
  /^package\.json$|^(?:vite|vitest|jest|playwright|cypress|karma|mocha)\.(?:config|conf|workspace)\.|^\.mocharc/
const largestSetting = 500_000

/** Keys of settings whose values are programs of a test runner. */
const scriptKeys =
  /\b(?:setupFiles(?:AfterEnv)?|globalSetup|globalTeardown|reporters?|testEnvironment|transform|resolver|runner|snapshotSerializers|require|plugins)\b/

/** Reads what a project's settings say; what cannot be read says nothing. */
export function projectSettings(root: string): ProjectSettings {
  const python = pythonSettings.map((name) => ({ name, text: textOf(join(root, name)) }))
  const scripts = (existsSync(root) ? readdirSync(root) : [])
    .filter((name) => scriptSettings.test(name))
    .map((name) => ({ name, text: textOf(join(root, name)) }))
  return {
    pythonPath: python.flatMap(({ text }) => pythonPathOf(text)),
    tools: toolNames(root),
    loadedBy: (path) =>
      python.find(({ text }) => namesPlugin(text, path))?.name ??
      scripts.find(({ text }) => namesScript(text, path))?.name,
  }
}

function textOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found?.isFile() === true && found.size <= largestSetting ? readFileSync(file, 'utf8') : ''
}

function pythonPathOf(text: string): readonly string[] {
  const [, value = ''] =
    /^[ \t]*pythonpath[ \t]*=[ \t]*((?:.*)(?:\n[ \t]+\S.*|\n[ \t]*\])*)/m.exec(text) ?? []
  return value
    .split(/[\s,"'[\]]+/)
    .filter((part) => part !== '' && !part.startsWith('/') && !part.startsWith('..'))
    .map((part) => posix.normalize(part).replace(/\/$/, ''))
    .map((part) => (part === '.' ? '' : part))
}

/** Reports whether a module is named where pytest, a build or Python takes what it loads first. */
function namesPlugin(text: string, path: string): boolean {
  if (!path.endsWith('.py') || text === '') return false
  const parts = path.replace(/(?:\/__init__)?\.py$/, '').split('/')
  return parts.some((_part, at) => {
    const name = literalPattern(parts.slice(at).join('.'))
    // A single word is too common but as a plugin.
    const plugin = new RegExp(
      `(?:^|[\\s"'=])-p[\\s=]*["']?${name}\\b|pytest_plugins\\s*=[^\\n]*["']${name}["']`,
      'm',
    )
    const section = new RegExp(
      `pytest11["']?\\]?[^[]*["'=\\s]${name}["'\\s:]|build-backend\\s*=\\s*["']${name}["':]`,
    )
    return plugin.test(text) || section.test(text)
  })
}

function namesScript(text: string, path: string): boolean {
  const plain = path.replace(/\.[cm]?[jt]sx?$/, '')
  if (plain === path || !text.includes(plain)) return false
  const quoted = `["'\`](?:<rootDir>/|\\./|/)?${literalPattern(plain)}(?:\\.[cm]?[jt]sx?)?["'\`]`
  return new RegExp(`${scriptKeys.source}["']?\\s*[:=][^;]{0,300}?${quoted}`).test(text)
}

const manifest = z.looseObject({
  ...Object.fromEntries(
    ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].map((key) => [
      key,
      z.record(z.string(), z.unknown()).optional(),
    ]),
  ),
})
const lock = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({ bin: z.union([z.string(), z.record(z.string(), z.unknown())]).optional() }),
  ),
})

/**
 * Returns what the tools of a project are called: packages, their scopes and their programs. Undefined where neither a lock nor installed packages say what
 * comes with those that the manifest names.
 */
function toolNames(root: string): ToolNames {
  const declared = manifest.safeParse(parseJson(textOf(join(root, 'package.json'))))
  const locked = lock.safeParse(parseJson(lockText(root)))
  const installed = namesIn(join(root, 'node_modules'))
  if (!declared.success || (!locked.success && installed.length === 0)) return undefined
  const names = new Set<string>(installed)
  for (const group of Object.values(declared.data))
    if (typeof group === 'object' && group !== null) for (const name of Object.keys(group)) add(names, name)
  for (const [path, { bin }] of Object.entries(locked.data?.packages ?? {})) {
    add(names, path.split('node_modules/').at(-1) ?? '')
    if (typeof bin === 'object') for (const name of Object.keys(bin)) add(names, name)
  }
  return names
}

function lockText(root: string): string {
  const file = join(root, 'package-lock.json')
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : ''
}

function add(names: Set<string>, name: string): void {
  names.add(name.toLowerCase())
  if (name.startsWith('@')) names.add(name.slice(1).split('/')[0]?.toLowerCase() ?? '')
}

function namesIn(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  const found = new Set<string>()
  for (const name of readdirSync(folder)) {
    if (name === '.bin') for (const program of readdirSync(join(folder, name))) add(found, program)
    else if (name.startsWith('@'))
      for (const each of namesOf(join(folder, name))) add(found, `${name}/${each}`)
    else if (!name.startsWith('.')) add(found, name)
  }
  return [...found]
}

function namesOf(folder: string): readonly string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : []
}
