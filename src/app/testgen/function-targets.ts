import { AutotestError } from '../../errors.js'
import type { ChangedLines } from '../../git/list-files.js'
import { functionNamed } from '../../testgen/function-named.js'
import type { FunctionDescription } from '../../testgen/python/worker-results.js'
import { isTestFile } from '../../testgen/test-path.js'
import type { TestingSession } from './testing-session.js'

/** A function for which tests are written. */
export interface FunctionTarget {
  /** Relative to the project's root. */
  readonly path: string
  readonly description: FunctionDescription
}

/** A file that was left out, and why. */
export interface SkippedFile {
  readonly path: string
  readonly reason: string
}

export interface FunctionTargets {
  readonly targets: readonly FunctionTarget[]
  readonly skipped: readonly SkippedFile[]
}

/**
 * Returns the functions that names mean: `FILE::FUNCTION`, a file, or a folder. Of files and folders, those that people
 * call from outside: none that is private, nested or abstract. Throws `function_unknown` and `python_file`.
 *
 * @param changed absent: all of them; else those with a changed line
 */
export async function functionTargets(
  names: readonly string[],
  changed: readonly ChangedLines[] | undefined,
  session: TestingSession,
): Promise<FunctionTargets> {
  const targets = new Map<string, FunctionTarget>()
  const skipped: SkippedFile[] = []
  for (const name of names.length === 0 ? ['.'] : names) {
    const [path = '', qualname] = name.split('::')
    if (qualname !== undefined) {
      const description = functionNamed(path, qualname, await session.describe(path))
      targets.set(`${path}::${qualname}`, { path, description })
      continue
    }
    for (const file of sourcesOf(path, session.files)) {
      const lines = changed?.find((each) => each.path === file)
      if (changed !== undefined && lines === undefined) continue
      try {
        for (const description of await session.describe(file))
          if (isPublic(description) && (lines === undefined || touches(description, lines)))
            targets.set(`${file}::${description.qualname}`, { path: file, description })
      } catch (error) {
        if (!(error instanceof AutotestError) || error.code !== 'python_syntax') throw error
        skipped.push({ path: file, reason: error.message })
      }
    }
  }
  return { targets: [...targets.values()], skipped }
}

function sourcesOf(path: string, files: readonly string[]): readonly string[] {
  const place = path.replace(/^\.\/?/, '').replace(/\/$/, '')
  if (files.includes(place)) {
    if (place.endsWith('.py')) return [place]
    throw new AutotestError('python_file', `${place} is no Python file`)
  }
  const inside = files.filter(
    (file) => file.endsWith('.py') && (place === '' || file.startsWith(`${place}/`)),
  )
  if (inside.length === 0)
    throw new AutotestError(
      'python_file',
      `${path}: there is no such file, and no folder with Python files`,
      {
        hint: 'Name a file, a folder, or FILE::FUNCTION, relative to the project; files that git ignores are not seen.',
      },
    )
  return inside.filter((file) => !isNoSource(file))
}

function isNoSource(file: string): boolean {
  const base = file.split('/').at(-1) ?? file
  return (
    isTestFile(file) ||
    ['conftest.py', 'setup.py', 'noxfile.py', '__main__.py'].includes(base) ||
    file.split('/').some((part) => part === 'tests' || part === 'test')
  )
}

function isPublic({ qualname, is_nested: isNested, decorators }: FunctionDescription): boolean {
  if (isNested || decorators.some((each) => /abstractmethod|fixture/.test(each))) return false
  return qualname.split('.').every((part) => !part.startsWith('_'))
}

function touches({ line, end_line: end }: FunctionDescription, { ranges }: ChangedLines): boolean {
  return ranges.some(([from, to]) => from <= end && to >= line)
}
