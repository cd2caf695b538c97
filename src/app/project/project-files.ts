import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { listFiles } from '../../git/list-files.js'

/** Folders that hold no sources of a project, where git does not say which files are its own. */
export const skippedFolders: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.venv',
  'venv',
  'env',
  'node_modules',
  '__pycache__',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.pytest_cache',
  '.autotest',
  'reports',
])
const mostFiles = 20_000

/** Returns the files of a project, relative to its root, sorted: by git's list, or all of them where git knows nothing. */
export async function projectFiles(root: string): Promise<readonly string[]> {
  return (await listFiles(root)) ?? (await walk(root))
}

async function walk(root: string): Promise<readonly string[]> {
  const found: string[] = []
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) waiting.push(path)
      else if (entry.isFile()) found.push(path)
    }
    if (found.length > mostFiles) break
  }
  return found.sort()
}
