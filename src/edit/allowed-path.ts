import { lstat, readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { AutotestError } from '../errors.js'

/** Extensions of knowledge files; a repair writes nothing else. */
export const knowledgeExtensions: readonly string[] = ['.yaml', '.yml', '.sql', '.md', '.pym']

/** Extensions of files that hold entries of other formats. */
export const entryExtensions: readonly string[] = [
  ...['.md', '.mdx', '.mdc', '.markdown', '.json', '.jsonl', '.ndjson'],
  ...['.csv', '.tsv', '.yaml', '.yml'],
]

/** Extensions of test files. */
export const testExtensions: readonly string[] = ['.py']

/** Extensions of sources, tests and their data, which the roles of a task write. */
export const sourceExtensions: readonly string[] = [
  ...['py', 'pyi', 'pym', 'ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte'],
  ...[
    'css',
    'scss',
    'html',
    'json',
    'jsonl',
    'csv',
    'tsv',
    'txt',
    'md',
    'rst',
    'yaml',
    'yml',
    'toml',
    'xml',
    'sql',
  ],
  ...['java', 'kt', 'go', 'rs', 'rb', 'php', 'c', 'h', 'cc', 'cpp', 'hpp', 'cs', 'swift', 'scala'],
].map((ending) => `.${ending}`)

/** What a record of the journal may name. */
export const writtenExtensions: readonly string[] = [
  ...new Set([...knowledgeExtensions, ...entryExtensions, ...testExtensions, ...sourceExtensions]),
]

const maxPathBytes = 1024
const maxSegmentBytes = 255
const maxSegments = 17
const devices = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$) *(\.|$)/i
/** Matches look-alikes of slash, backslash and colon; NFKC does not replace them. */
const confusableCharacters = /[\u2044\u2215\u29f8\u2571\u2216\u29f5\u29f9\u2236\ua4fd\ua789]/u
/** Scripts whose letters look like Latin ones; a name of one of them alone is as good as any. */
const confusableScripts = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u
/** Letters of those scripts, in lower case, and the Latin letters that they look like. */
const lookAlikes = new Map(
  [
    ...'\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u043a\u043c\u0442\u0432\u043d\u0501\u051b\u051d\u0433\u03b1\u03bf\u03c1\u03bd\u03c5\u03b9\u03ba\u03c4\u03c7\u03b3',
  ].map((letter, at) => [letter, 'aeopcyxijskmtbhdqwraopvuiktxy'.charAt(at)]),
)
/**
 * Names of settings, dependencies and jobs that run code, in any folder.
 * Hidden files are refused because of their leading dot.
 */
const protectedNames = new Set([
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'azure-pipelines.yml',
  'azure-pipelines.yaml',
  'bitbucket-pipelines.yml',
  'appveyor.yml',
  'docker-compose.yml',
  'docker-compose.yaml',
  'lefthook.yml',
  'lefthook.yaml',
  'node_modules',
])
/** Instructions for coding agents: never changed, unless the configuration names them as knowledge. */
const instructions = new Set(['agents.md', 'claude.md', 'gemini.md'])

/** A folder that may be written to; `isNamed`: a folder or file that the configuration names as knowledge of its own format. */
export type AllowedRoot = string | { readonly path: string; readonly isNamed: true }

/**
 * Returns the path unchanged if a repair may write to it: a POSIX path relative to the project root, inside
 * one of `roots` (folders, `.` for the whole project), with one of `extensions` (undefined: any). Throws `path_refused` for
 * anything unusual; nothing is normalised. Checks the text only: `checkOnDisk` checks the files.
 */
export function checkPath(
  path: unknown,
  roots: readonly AllowedRoot[],
  extensions: readonly string[] | undefined,
): string {
  if (typeof path !== 'string') throw refused(String(typeof path), 'a path must be text')
  const reason =
    pathProblem(path) ??
    path
      .split('/')
      .map(segmentProblem)
      .find((found) => found !== undefined)
  if (reason !== undefined) throw refused(path, reason)
  if (extensions?.some((extension) => path.endsWith(extension)) === false) {
    throw refused(path, `only ${extensions.join(', ')} files may be written`)
  }
  const inside = roots.filter((root) => isInside(path, root))
  if (inside.length === 0) throw refused(path, `it is outside ${roots.map(pathOf).join(', ')}`)
  const last = path.slice(path.lastIndexOf('/') + 1)
  if (instructions.has(last.toLowerCase()) && inside.every((root) => typeof root === 'string'))
    throw refused(path, `${last} is never changed, unless \`kb\` names it`)
  if (/^benchmarks\//i.test(path) || /(^|\/)autotest\.config\./i.test(path)) {
    throw refused(path, 'benchmarks and settings are never changed')
  }
  return path
}

function pathProblem(path: string): string | undefined {
  if (path === '') return 'it is empty'
  if (Buffer.byteLength(path) > maxPathBytes) return `it is longer than ${maxPathBytes} bytes`
  if (/[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u.test(path))
    return 'it contains an invisible character'
  if (path.startsWith('/')) return 'it is absolute'
  if (path.split('/').length > maxSegments) return `it is deeper than ${maxSegments - 1} folders`
  if (/[\\:]/.test(path)) return 'it contains a backslash or a colon'
  if (/%[0-9a-f]{2}/i.test(path)) return 'it contains a percent code'
  if (/[*?[\]{}<>|"~$`;]/.test(path)) return 'it contains a special character'
  if (path !== path.normalize('NFKC') || confusableCharacters.test(path))
    return 'it is not in Unicode normalization form C'
  return undefined
}

function segmentProblem(segment: string): string | undefined {
  if (segment === '') return 'a part of it is empty'
  if (segment === '.' || segment === '..') return `it contains "${segment}"`
  if (segment.startsWith('.')) return 'hidden files and folders are never changed'
  if (segment.startsWith('-')) return 'a part of it starts with a dash'
  if (segment !== segment.trim() || segment.endsWith('.')) return 'a part of it ends with a space or a dot'
  if (segment.split(/[^\p{L}\p{M}]+/u).some(mixesScripts)) return 'a word of it mixes letters that look alike'
  if (devices.test(segment)) return `"${segment}" is a device on Windows`
  if (Buffer.byteLength(segment) > maxSegmentBytes)
    return `a part of it is longer than ${maxSegmentBytes} bytes`
  if (protectedNames.has(segment.toLowerCase())) return `${segment} is never changed`
  return undefined
}

function mixesScripts(word: string): boolean {
  return /\p{Script=Latin}/u.test(word) && confusableScripts.test(word)
}

/**
 * Reports whether a path is inside a root. Roots come from the configuration and may be written `kb/` or
 * `./kb`.
 */
function isInside(path: string, root: AllowedRoot): boolean {
  const folder = posix.normalize(`${pathOf(root)}/`)
  return folder === './' || path.startsWith(folder) || (typeof root !== 'string' && `${path}/` === folder)
}

function pathOf(root: AllowedRoot): string {
  return typeof root === 'string' ? root : root.path
}

/**
 * Throws `path_refused` unless every existing part of the path is of the expected type: folders (no links, no
 * nested repositories), and at the end nothing or a regular file with a single hard link. A part that exists
 * in other letter case (`DAU.sql` beside `dau.sql`) or in letters that look alike is refused: on some disks, or to
 * a reader, they are one file.
 */
export async function checkOnDisk(root: string, path: string): Promise<void> {
  const segments = path.split('/')
  for (const [index, segment] of segments.entries()) {
    const folder = join(root, ...segments.slice(0, index))
    const names = await readdir(folder)
    const twin = names.find((name) => name !== segment && foldCase(name) === foldCase(segment))
    if (twin !== undefined) throw refused(path, `${posix.join(...segments.slice(0, index), twin)} exists`)
    if (index > 0 && names.includes('.git'))
      throw refused(path, `${segments.slice(0, index).join('/')} is a nested repository`)
    if (!names.includes(segment)) return
    const stats = await lstat(join(folder, segment))
    const name = segments.slice(0, index + 1).join('/')
    if (stats.isSymbolicLink()) throw refused(path, `${name} is a symbolic link`)
    if (index < segments.length - 1) {
      if (!stats.isDirectory()) throw refused(path, `${name} is not a folder`)
    } else if (!stats.isFile()) {
      throw refused(path, `${name} is not a regular file`)
    } else if (stats.nlink > 1) {
      throw refused(path, `${name} is a hard link`)
    }
  }
}

/** Folds case and letters that look alike. Upper case first: `ß` is `SS` on a case-insensitive disk. */
function foldCase(name: string): string {
  const folded = name.normalize('NFKC').toUpperCase().toLowerCase()
  return [...folded].map((letter) => lookAlikes.get(letter) ?? letter).join('')
}

function refused(path: string, reason: string): AutotestError {
  return new AutotestError(
    'path_refused',
    `${JSON.stringify(path.slice(0, 200))} may not be written: ${reason}`,
    {
      hint: 'Repairs write plain files inside the knowledge base and the agents folder only.',
    },
  )
}
