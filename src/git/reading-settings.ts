import { AutotestError } from '../errors.js'

/**
 * Settings of each read. Programs that make git faster or prettier for people are never needed; neither are those of
 * acts. What gives a file's bytes their meaning, a filter, is used as the user's own or the system's configuration has it.
 */
export const readingSettings: readonly string[] = [
  // The variable GIT_ALLOW_PROTOCOL also closes what a repository opens (`protocol.ext.allow`).
  'protocol.allow=never',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  // A folder of sources that looks like a repository without a work tree is none. Git before 2.38 does not know it.
  'safe.bareRepository=explicit',
  'log.showSignature=false',
  // Without locks, `git diff` still writes the index.
  'diff.autoRefreshIndex=false',
  // Placeholders such as `%G?` of `format.pretty` ask for a signature.
  ...['gpg', 'gpg.openpgp', 'gpg.x509', 'gpg.ssh'].map((kind) => `${kind}.program=false`),
].flatMap((setting) => ['-c', setting])

/** Asks git without these settings. */
type Ask = (...args: readonly string[]) => Promise<{ readonly exitCode: number; readonly stdout: string }>

/** By command: options without which it runs programs for people, or reads the configuration of submodules. */
const options: Readonly<Record<string, readonly string[]>> = {
  diff: ['--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'],
  show: ['--no-ext-diff', '--no-textconv'],
  log: ['--no-ext-diff', '--no-textconv'],
  blame: ['--no-textconv'],
  status: ['--ignore-submodules=dirty'],
}

/** Returns git's arguments with the options of the command that they begin with. */
export function printingOptions(args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c')
  const added = options[args[at] ?? '']
  return added === undefined ? args : [...args.slice(0, at + 1), ...added, ...args.slice(at + 1)]
}

/**
 * Returns settings by which git runs no filter that only the repository's own configuration names, but the user's of
 * that name if there is one. Throws `git_unavailable` for a filter whose name cannot be set.
 */
export async function repositoryFilters(git: Ask): Promise<readonly string[]> {
  const [local, worktree] = await Promise.all([filtersIn(git, '--local'), filtersIn(git, '--worktree')])
  const names = [...new Set([...local.keys(), ...worktree.keys()])]
  if (names.length === 0) return []
  const own = new Map([...(await filtersIn(git, '--system')), ...(await filtersIn(git, '--global'))])
  return names.flatMap((key) => {
    // `-c` takes what is in front of the first `=` for the name.
    if (key.includes('='))
      throw new AutotestError('git_unavailable', `the repository's configuration has a filter ${key}`, {
        hint: 'A name with `=` cannot be switched off for a read; rename it in .git/config and .gitattributes.',
      })
    return ['-c', `${key}=${own.get(key) ?? (key.endsWith('.required') ? 'false' : '')}`]
  })
}

async function filtersIn(git: Ask, scope: string): Promise<ReadonlyMap<string, string>> {
  const { exitCode, stdout } = await git(
    'config',
    scope,
    '--includes',
    '-z',
    '--get-regexp',
    String.raw`^filter\..*\.(clean|smudge|process|required)$`,
  )
  // 1: there is none; an older git does not know a scope.
  if (exitCode !== 0) return new Map()
  return new Map(
    stdout
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => {
        const end = entry.indexOf('\n')
        return end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]
      }),
  )
}
