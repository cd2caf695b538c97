import { posix } from 'node:path'
import { AutotestError } from '../errors.js'
import { literalPattern } from '../text/literal-pattern.js'

/** In place of a folder: that of the module. */
export const besideSource = 'beside-source'

/**
 * Returns the file for the tests of a module: the one that is there, else one of the project's usual place.
 *
 * @param files of the project, relative to its root
 * @param folder as configured, or `beside-source`; absent: `tests/unit`, `tests`, `test` or `rora_tests` where there is one, else `tests`
 * @param imports reports whether a file that is there imports the module
 * @param names `any`: a file of another name that imports the module is its test file, too; not for who writes whole files
 */
export async function testPathOf(
  source: string,
  files: readonly string[],
  folder: string | undefined,
  imports: (file: string) => Promise<boolean>,
  names: 'usual' | 'any' = 'usual',
): Promise<string> {
  const chosen = folder === besideSource ? posix.dirname(source) : folder
  const stem = posix.basename(source, '.py')
  const name = stem === '__init__' ? posix.basename(posix.dirname(source)) : stem
  const present = files.filter((file) => {
    const base = posix.basename(file)
    return base === `test_${name}.py` || base === `${name}_test.py`
  })
  const fits = (file: string): boolean => chosen === undefined || isIn(file, chosen)
  for (const file of present) if (fits(file) && (await imports(file))) return file
  for (const file of names === 'any' ? files : [])
    if (isTestFile(file) && !present.includes(file) && fits(file) && (await imports(file))) return file
  const place = chosen ?? usualFolder(files)
  requireFolder(place, files)
  const plain = posix.join(place, `test_${name}.py`)
  if (!files.includes(plain)) return plain
  // Another module of the same name has it.
  const longer = source
    .replace(/\.py$/, '')
    .split('/')
    .filter((part) => part !== 'src' && part !== 'lib')
  return posix.join(place, `test_${longer.join('_')}.py`)
}

/** Throws `python_file` where a file stands in the place of the folder, or of one above it. */
function requireFolder(folder: string, files: readonly string[]): void {
  const taken = files.find((file) => folder === file || folder.startsWith(`${file}/`))
  if (taken === undefined) return
  throw new AutotestError('python_file', `${taken} is a file: no tests can be written below it`, {
    hint: 'Name another folder: --tests-dir of autotest generate, or tests.folder in autotest.config.yaml.',
  })
}

/** Reports whether a path is below a folder; `.` is the folder of all. */
export function isIn(path: string, folder: string): boolean {
  return folder === '.' || path.startsWith(`${folder}/`)
}

/** Reports whether pytest takes a file for one of tests. */
export function isTestFile(path: string): boolean {
  const name = posix.basename(path)
  return name.endsWith('.py') && (name.startsWith('test_') || name.endsWith('_test.py'))
}

function usualFolder(files: readonly string[]): string {
  return (
    ['tests/unit', 'tests', 'test', 'rora_tests'].find((folder) =>
      files.some((file) => file.startsWith(`${folder}/`)),
    ) ?? 'tests'
  )
}

/** Returns the name under which tests import a module: without a leading `src`. */
export function moduleNameOf(source: string, files: readonly string[]): string {
  const parts = source.replace(/\.py$/, '').split('/')
  const [first = ''] = parts
  const isRoot = (first === 'src' || first === 'lib') && !files.includes(`${first}/__init__.py`)
  const named = isRoot ? parts.slice(1) : parts
  return (named.at(-1) === '__init__' ? named.slice(0, -1) : named).join('.')
}

/** Reports whether the text of a Python file imports a module by name. */
export function importsModule(text: string, module: string): boolean {
  const parts = module.split('.')
  const name = literalPattern(module)
  const last = literalPattern(parts.at(-1) ?? module)
  const parent = literalPattern(parts.slice(0, -1).join('.'))
  const ways = [`from\\s+${name}\\s+import`, `import\\s+${name}(?![\\w.])`]
  if (parent !== '') ways.push(`from\\s+${parent}\\s+import\\s[^\\n]*(?<!\\w)${last}(?!\\w)`)
  return new RegExp(`^\\s*(?:${ways.join('|')})`, 'm').test(text)
}
