import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new empty folder; in memory where the system has such a disk, as these tests sync thousands of times. */
export function scratchFolder(name: string): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), `autotest-${name}-`))
}

/** Every file and folder but `.autotest`, with bytes (Latin-1) and mode. */
export function treeOf(root: string, below = ''): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const name of readdirSync(join(root, below)).sort()) {
    const path = join(below, name)
    if (path === '.autotest') continue
    const stats = lstatSync(join(root, path))
    if (stats.isDirectory()) Object.assign(tree, { [`${path}/`]: '' }, treeOf(root, path))
    else tree[path] = `${(stats.mode & 0o7777).toString(8)} ${readFileSync(join(root, path), 'latin1')}`
  }
  return tree
}
