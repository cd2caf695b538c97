import { confinedCommand, sandboxCode } from './confinement.js'
import type { Sandbox, SandboxAccess, SandboxPython } from './sandbox-access.js'

/** What programs of macOS need to start, beside the folders of the interpreter. */
const systemFolders = [
  '/System',
  '/usr/lib',
  '/usr/bin',
  '/usr/share',
  '/bin',
  '/Library/Frameworks',
  '/Library/Developer',
  '/private/var/db/timezone',
  '/dev',
]

/**
 * The sandbox of macOS. It was written by Apple's profiles that come with the system, and was not tried on a Mac: before it is used, a run in it
 * must be denied what it denies.
 */
export function seatbelt(python: SandboxPython): Sandbox {
  return {
    name: 'sandbox-exec',
    placesFolders: false,
    description: 'sandbox-exec: no network, only the workspace is writable',
    open: ['what is started and left behind is not ended'],
    wrap(command, access) {
      const readable = [...access.readable, ...python.folders, sandboxCode()]
      const profile = seatbeltProfile({ ...access, readable })
      const confined = confinedCommand(python, 'sandbox-exec', command, access)
      return ['/usr/bin/sandbox-exec', '-p', profile, '--', ...confined]
    },
    environment: ({ temporary }) => ({ TMPDIR: temporary, HOME: temporary }),
  }
}

/** Returns the profile by which everything is denied but what is named. */
export function seatbeltProfile({
  workspace,
  writable = [workspace],
  temporary,
  readable,
}: SandboxAccess): string {
  const folders = (paths: readonly string[]): string =>
    paths.map((path) => `(subpath ${JSON.stringify(path)})`).join(' ')
  return [
    '(version 1)',
    '(deny default)',
    '(import "system.sb")',
    '(allow process-fork process-exec)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    // A path is resolved by asking each folder above it; that tells names, no contents.
    '(allow file-read-metadata)',
    `(allow file-read* ${folders([...systemFolders, ...readable, workspace, temporary])})`,
    `(allow file-write* ${folders([...writable, temporary])} (literal "/dev/null"))`,
    '(deny network*)',
  ].join('\n')
}
