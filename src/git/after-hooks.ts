import { type Git, literalPathspec } from './git.js'

/** The state before a commit, to see what the user's hooks made of it. */
export interface BeforeCommit {
  /** Undefined in a repository without a commit. */
  readonly head: string | undefined
  /** Hashes of the files' contents in the working tree, in the order of the paths. */
  readonly contents: readonly string[]
}

export async function stateBeforeCommit(git: Git, paths: readonly string[]): Promise<BeforeCommit> {
  const head = await git('rev-parse', '--verify', '--quiet', 'HEAD')
  return {
    head: head.exitCode === 0 ? head.stdout.trim() : undefined,
    contents: await hashesOf(git, paths),
  }
}

/** What hooks did besides checking. */
export type HookEffects =
  | { readonly kind: 'moved' }
  | {
      readonly kind: 'committed'
      readonly hash: string
      /** Files of the commit that are not the repair's. */
      readonly added: readonly string[]
      /** Files of the repair that were committed with another content. */
      readonly changed: readonly string[]
    }

/**
 * Returns what became of a commit that git reported as made: a hook may add files, change those of the repair, or move
 * the branch afterwards. What a hook committed is taken out of the index, where git leaves the state before.
 *
 * @param paths of the repair, relative to the repository's folder that git runs in
 */
export async function effectsOfHooks(
  git: Git,
  paths: readonly string[],
  before: BeforeCommit,
): Promise<HookEffects> {
  const parents = await git('log', '-1', '--format=%H %P', 'HEAD')
  const [hash = '', parent] = parents.stdout.trim().split(' ')
  if (parents.exitCode !== 0 || parent !== before.head || hash === before.head) return { kind: 'moved' }
  const listed = await git('show', '--name-only', '--relative', '-z', '--format=', 'HEAD')
  const files = listed.stdout.split('\0').filter((path) => path.trim() !== '')
  const added = files.filter((path) => !paths.includes(path))
  const committed = await Promise.all(
    paths.map(async (path) =>
      (await git('rev-parse', '--verify', '--quiet', `HEAD:./${path}`)).stdout.trim(),
    ),
  )
  const changed = paths.filter((_, at) => committed[at] !== before.contents[at])
  if (before.head !== undefined) {
    const unstaged = await untouchedSince(git, before.head, added)
    const stale = [...unstaged, ...changed].map(literalPathspec)
    if (stale.length > 0) await git('reset', '--quiet', '--', ...stale)
  }
  return { kind: 'committed', hash, added, changed }
}

/** Returns files of which the index still has what the parent had: the user had staged nothing of them. */
async function untouchedSince(git: Git, parent: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const staged = await git(
    'diff',
    '--cached',
    '--name-only',
    '--relative',
    '-z',
    parent,
    '--',
    ...paths.map(literalPathspec),
  )
  const names = new Set(staged.stdout.split('\0'))
  return paths.filter((path) => !names.has(path))
}

async function hashesOf(git: Git, paths: readonly string[]): Promise<string[]> {
  const hashes: string[] = []
  for (const path of paths) {
    const { exitCode, stdout } = await git('hash-object', '--', path)
    hashes.push(exitCode === 0 ? stdout.trim() : '')
  }
  return hashes
}
