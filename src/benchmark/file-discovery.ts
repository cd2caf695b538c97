import { readdir, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { configFileNames } from '../enums/config-file-names.js'
import { AutotestError, messageOf } from '../errors.js'

/**
 * Returns the absolute paths of benchmark files, sorted, each once: files as named, `*.yaml` and `*.yml`
 * below folders, matches of globs. Throws `benchmark_missing` for a path without any.
 */
export async function findBenchmarkFiles(paths: readonly string[], cwd: string): Promise<string[]> {
  const found = new Set<string>()
  for (const path of paths) {
    for (const file of await filesAt(path, cwd)) found.add(file)
  }
  return [...found].sort()
}

/**
 * Returns a path as a user would type it: relative to the working folder if that is shorter, with slashes.
 */
export function displayPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return (short.length < path.length ? short : path).split(sep).join('/')
}

async function filesAt(path: string, cwd: string): Promise<string[]> {
  const absolute = resolve(cwd, path)
  const kind = await kindOf(absolute, path)
  if (kind === 'file') return [absolute]
  if (kind === 'folder') {
    return requireFiles(await filesBelow(absolute, path), `${path} contains no *.yaml file`)
  }
  const { glob, isDynamicPattern } = await import('tinyglobby')
  if (isDynamicPattern(path)) {
    const files = await glob([path.split(sep).join('/')], { cwd, absolute: true, followSymbolicLinks: false })
    return requireFiles(files, `no file matches ${path}`)
  }
  throw missing(`${path}: no such file or folder`)
}

/** Returns regular `*.yaml` and `*.yml` files below a folder; hidden files and symbolic links are skipped. */
async function filesBelow(folder: string, shown: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw missing(`${shown} cannot be read: ${messageOf(error)}`, error)
  })
  const files: string[] = []
  for (const entry of entries) {
    const { name } = entry
    if (name.startsWith('.') || configFileNames.includes(name)) continue
    const path = join(folder, name)
    if (entry.isDirectory()) {
      if (!(await isOwnProject(path))) files.push(...(await filesBelow(path, join(shown, name))))
    } else if (entry.isFile() && /\.ya?ml$/.test(name)) files.push(path)
  }
  return files
}

/** Reports whether a folder has a configuration: its cases belong to that. */
async function isOwnProject(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).some((name) => configFileNames.includes(name))
}

async function kindOf(absolute: string, path: string): Promise<'file' | 'folder' | 'none'> {
  try {
    const stats = await stat(absolute)
    if (stats.isDirectory()) return 'folder'
    if (stats.isFile()) return 'file'
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return 'none'
    throw missing(`${path} cannot be read: ${messageOf(error)}`, error)
  }
  throw missing(`${path} is not a regular file`)
}

function requireFiles(files: readonly string[], message: string): string[] {
  if (files.length === 0) throw missing(message)
  return files.map((file) => resolve(file))
}

function missing(message: string, cause?: unknown): AutotestError {
  return new AutotestError('benchmark_missing', message, {
    hint: 'Name benchmark files, folders or globs with --benchmark, or under `benchmarks` in autotest.config.yaml.',
    cause,
  })
}
