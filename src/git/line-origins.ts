import { AutotestError } from '../errors.js'
import { openGit } from './git.js'

/** Where a line of a file in the working tree comes from. */
export type LineOrigin =
  /** `commit 1a2b3c4…`, with the whole hash. */
  | { readonly kind: 'commit'; readonly by: string }
  | { readonly kind: 'uncommitted' }
  /** The line is as old as the known history: nobody can tell when it was written. */
  | { readonly kind: 'unknown' }

/**
 * Returns the origin of each line of a file, as `git blame` follows it through moves and changes of layout. Empty
 * for a file that git does not track, and without a repository.
 */
export async function lineOrigins(root: string, path: string): Promise<LineOrigin[]> {
  try {
    const git = await openGit(root)
    const { exitCode, stdout } = await git('blame', '--line-porcelain', '-w', '--', path)
    return exitCode === 0 ? parseBlame(stdout) : []
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'git_failed') return []
    throw error
  }
}

function parseBlame(porcelain: string): LineOrigin[] {
  const origins: LineOrigin[] = []
  let [hash, isBoundary] = ['', false]
  for (const line of porcelain.split('\n')) {
    const start = /^([0-9a-f]{40,64}) \d+ \d+/u.exec(line)?.[1]
    if (start !== undefined) [hash, isBoundary] = [start, false]
    else if (line === 'boundary') isBoundary = true
    else if (line.startsWith('\t'))
      origins.push(
        isBoundary
          ? { kind: 'unknown' }
          : /^0+$/u.test(hash)
            ? { kind: 'uncommitted' }
            : { kind: 'commit', by: `commit ${hash}` },
      )
  }
  return origins
}
