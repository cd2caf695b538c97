import { type Dirent, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'

/** A search that went further would keep an agent waiting. */
const mostFiles = 1_000_000

/** Names below a folder; `isWhole` says whether these are all. */
export interface FilesBelow {
  /** Relative to the folder. */
  readonly names: readonly string[]
  readonly isWhole: boolean
}

/** Returns the files below a folder, links left out; of a repository's own folder those that may hold passwords, and none of its objects. */
export function filesBelow(folder: string, most = mostFiles): FilesBelow {
  const names: string[] = []
  const waiting = ['']
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const isGit = join(folder, at).split(sep).includes('.git')
    for (const entry of entriesOf(join(folder, at))) {
      const name = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory()) {
        if (!isGit || entry.name !== 'objects') waiting.push(name)
      } else if (entry.isFile() && (!isGit || isGitSetting(entry.name))) names.push(name)
    }
    if (names.length > most) return { names, isWhole: false }
  }
  return { names, isWhole: true }
}

/** Reports whether a file in a repository's folder may hold passwords of remotes, by its name. */
export function isGitSetting(name: string): boolean {
  return /^(?:config(?:\.worktree)?|credentials)$/i.test(name)
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // What cannot be listed is not read by an agent either, who has the same rights.
    return []
  }
}
