import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { confinedCommand, readableFolders } from './confinement.js'
import type { Sandbox, SandboxPython } from './sandbox-access.js'

/** Returns the absolute path of bubblewrap; undefined if it is not installed. A folder of PATH that depends on where this program was started is left out. */
export function findBubblewrap(path: string | undefined): string | undefined {
  return (path ?? '')
    .split(':')
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, 'bwrap'))
    .find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Reports whether a program runs as somebody else than who starts it, who could not end what it leaves behind: a setuid bubblewrap of root, for an ordinary user. */
export function runsAsAnother(program: string): boolean {
  const { mode, uid } = statSync(program)
  return (mode & setuidBit) !== 0 && uid !== process.geteuid?.()
}

const setuidBit = 0o4000

/** Who root is in there: nobody that the system's own files belong to. */
const nobody = '65534'

/**
 * The sandbox of bubblewrap, started by the path that it was found by. Root is another user in it and has no capabilities: those of a namespace are enough to make what is
 * read-only writable. /proc is read-only, for the system's settings are files there that belong to root whoever that is inside.
 */
export function bubblewrap(program: string, python: SandboxPython): Sandbox {
  const user =
    process.getuid?.() === 0 ? ['--uid', nobody, ...(process.getgid?.() === 0 ? ['--gid', nobody] : [])] : []
  return {
    name: 'bubblewrap',
    placesFolders: true,
    description: 'bubblewrap: no network, only the workspace is writable',
    open: [],
    wrap(command, access) {
      const { workspace, cwd = workspace, writable = [workspace], placed = [] } = access
      return [
        program,
        ...['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts'],
        ...['--unshare-cgroup-try', ...user, '--cap-drop', 'ALL'],
        ...['--die-with-parent', '--new-session', '--as-pid-1'],
        ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp'],
        ...readableFolders(python, access).flatMap((path) => ['--ro-bind-try', path, path]),
        ...['--ro-bind', workspace, workspace],
        ...writable.flatMap((path) => ['--bind', path, path]),
        ...placed.flatMap(({ folder, at, readOnly }) => [
          readOnly === true ? '--ro-bind' : '--bind',
          folder,
          at,
        ]),
        // It names the keys of the user, whoever that is in there.
        ...(existsSync('/proc/keys') ? ['--ro-bind', '/dev/null', '/proc/keys'] : []),
        ...['--remount-ro', '/proc', '--chdir', cwd, '--'],
        ...confinedCommand(python, 'bubblewrap', command, access),
      ]
    },
    environment: () => ({}),
  }
}
