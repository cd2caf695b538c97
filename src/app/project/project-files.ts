import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { listFiles } from '../../git/list-files.js'
import { skippedFolders } from '../../roles/installed-folders.js'

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
