import { existsSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AutotestError } from '../../errors.js'
import { kindOf } from '../../platform/read-regular-file.js'

/** Files by which the root of a project is known, in the folder where the command starts or above it. */
const rootMarks = ['autotest.config.yaml', 'pyproject.toml', 'setup.py', 'setup.cfg', '.git']

/** Returns the root of the project around a folder; the folder itself where nothing marks one. */
export async function findProject(cwd: string): Promise<string> {
  const start = await realpath(cwd)
  for (let folder = start; ; folder = dirname(folder)) {
    if (rootMarks.some((mark) => existsSync(join(folder, mark)))) return folder
    if (dirname(folder) === folder) return start
  }
}

/**
 * Returns a path, as typed in a folder, relative to the root, with `/`; what follows `::` stays. Throws `python_file`
 * for one outside of the project, and for a pipe or device.
 */
export async function pathInProject(typed: string, cwd: string, root: string): Promise<string> {
  const [path = '', ...rest] = typed.split('::')
  const full = resolve(await realpath(cwd), path)
  const inside = relative(root, existsSync(full) ? await realpath(full) : full)
  if (inside.startsWith('..') || isAbsolute(inside))
    throw new AutotestError('python_file', `${path} is outside of the project ${root}`)
  // Handed on, it would be an option of pytest, or a file of options.
  if (/^[-@]/.test(inside))
    throw new AutotestError(
      'python_file',
      `${inside} begins with ${inside.startsWith('-') ? 'a dash' : '@'}: that is an option, and no file`,
      {
        hint: 'Name a file of the project by its path, as tests/test_a.py.',
      },
    )
  const kind = existsSync(full) ? kindOf(await stat(full)) : undefined
  if (kind !== undefined) throw new AutotestError('python_file', `${path} is ${kind}, not a file`)
  return [inside.split(sep).join('/') || '.', ...rest].join('::')
}
