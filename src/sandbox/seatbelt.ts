import type { Sandbox, SandboxAccess } from './sandbox-access.js'

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
export const seatbelt: Sandbox = {
  name: 'sandbox-exec',
  hasOwnUserNamespace: false,
  placesFolders: false,
  description:
    'sandbox-exec: no network, only the workspace is writable; what is started and left behind is not ended',
  wrap: (command, access) => ['/usr/bin/sandbox-exec', '-p', seatbeltProfile(access), '--', ...command],
  environment: ({ temporary }) => ({ TMPDIR: temporary, HOME: temporary }),
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
