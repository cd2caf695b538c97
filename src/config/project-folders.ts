import { existsSync, readdirSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AutotestError } from '../errors.js'
import type { Config } from './config.js'
import type { ConfigFile } from './schema.js'

/**
 * Returns the folder of the native format and the sources of the others. One folder is native if it looks so, or if there is
 * nothing in it yet; else each of its files says what it is.
 */
export function knowledgeOf(root: string, given: ConfigFile['kb']): Pick<Config, 'kb' | 'sources'> {
  if (given === undefined) return { kb: 'kb', sources: [] }
  if (typeof given === 'string') {
    const path = folderInside(root, given, 'kb')
    if (!isOtherFormat(resolve(root, path))) return { kb: path, sources: [] }
    return { kb: 'kb', sources: [{ path, format: 'auto' }] }
  }
  const all = given.map((each) => (typeof each === 'string' ? { path: each, format: 'auto' as const } : each))
  const isNative = ({ path, format }: (typeof all)[number]): boolean =>
    format === 'native' ||
    (format === 'auto' && nativeFolders.some((name) => existsSync(resolve(root, path, name))))
  const native = all.filter(isNative)
  if (native.length > 1)
    throw new AutotestError('config_invalid', `kb: ${native.map(({ path }) => path).join(', ')} are native`, {
      hint: 'One folder may have the native format; merge them.',
    })
  return {
    kb: native[0] === undefined ? 'kb' : folderInside(root, native[0].path, 'kb'),
    sources: all
      .filter((each) => !isNative(each))
      .map(({ path, format, ...columns }) => ({ path: sourceInside(root, path), format, columns })),
  }
}

/** Folders that a knowledge base in the native format has. */
const nativeFolders = ['metrics', 'snippets', 'notes']

/** Reports whether a path is a file, or a folder with files but none of the native format's folders. */
function isOtherFormat(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile() === true) return true
  if (stats?.isDirectory() !== true || nativeFolders.some((name) => existsSync(join(path, name))))
    return false
  return readdirSync(path).length > 0
}

function sourceInside(root: string, path: string): string {
  return relative(root, resolve(root, path)) === '' ? '.' : folderInside(root, path, 'kb')
}

/** Returns the folder of the Python project relative to the root, POSIX: the root itself is `.`. */
export function pythonProject(root: string, folder: string): string {
  return relative(root, resolve(root, folder)) === '' ? '.' : folderInside(root, folder, 'tests.project')
}

/** Returns a folder relative to the root, POSIX; folders that edits may change must be below the root. */
export function folderInside(root: string, folder: string, key: string): string {
  const path = relative(root, resolve(root, folder))
  if (path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) {
    throw new AutotestError(
      'config_invalid',
      `${key}: ${folder} is not a folder inside the project ${root}`,
      {
        hint: 'Choose a folder below the one with autotest.config.yaml.',
      },
    )
  }
  return path.split(sep).join('/')
}
