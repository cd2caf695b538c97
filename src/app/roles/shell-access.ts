import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'

/**
 * Returns the folders that the programs of a user's shell need: those of PATH, with what is installed beside them; never the home folder, or one around it.
 */
export function programFolders(path: string | undefined): readonly string[] {
  const home = homedir()
  const folders = (path ?? '')
    .split(':')
    .filter((folder) => isAbsolute(folder) && existsSync(folder))
    .flatMap((folder) => {
      const installed = dirname(folder)
      const isOfUser = installed === join(home, '.local') || isAround(installed, home)
      return basename(folder) === 'bin' && !isOfUser
        ? [installed]
        : [folder, ...(isOfUser ? [join(installed, 'lib')] : [])]
    })
    .flatMap((folder) => [folder, existsSync(folder) ? realpathSync(folder) : folder])
  return [...new Set(folders)].filter((folder) => !isAround(folder, home))
}

/** Reports whether a folder is another one, or around it. */
function isAround(folder: string, inside: string): boolean {
  return !relative(folder, inside).startsWith('..')
}

/** What a command of a role is told of the user's environment: how to find programs, and how to print; nothing that may be a secret. */
export function shellEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = [
    'PATH',
    'LANG',
    'LC_ALL',
    'TERM',
    'TZ',
    'COLUMNS',
    'NO_COLOR',
    'FORCE_COLOR',
    'VIRTUAL_ENV',
    'CI',
  ]
  const own = { HOME: '/tmp', PYTHONDONTWRITEBYTECODE: '1' }
  const taken = kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  return { PATH: '/usr/bin:/bin', ...Object.fromEntries(taken), ...own }
}
