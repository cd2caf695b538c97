import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { AutotestError } from '../../errors.js'
import { lastLine } from '../../text/last-line.js'

/** What a program in the sandbox may reach. */
export interface SandboxAccess {
  /** The only folder that it may write to, absolute; it starts there. */
  readonly workspace: string
  /** Folders in the workspace that it may write to, absolute, and which exist; absent: all of it. */
  readonly writable?: readonly string[] | undefined
  /** Files and folders that it may read, absolute. */
  readonly readable: readonly string[]
}

/** A way to run a program so that it reaches nothing but its workspace. */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'none'
  /** Whether processes in it are counted apart from the user's others. */
  readonly hasOwnUserNamespace: boolean
  /** What is in force, in words. */
  readonly description: string
  /** Returns the command line that runs a command within it. */
  wrap(command: readonly string[], access: SandboxAccess): readonly string[]
}

/** Parts of the system that every interpreter needs; those that are absent are left out. */
const systemFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/etc/alternatives',
  '/etc/ld.so.cache',
]

const bubblewrap: Sandbox = {
  name: 'bubblewrap',
  hasOwnUserNamespace: true,
  description: 'bubblewrap: no network, only the workspace is writable',
  wrap: (command, { workspace, writable = [workspace], readable }) => [
    'bwrap',
    '--die-with-parent',
    '--unshare-all',
    '--new-session',
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp'],
    ...[...systemFolders, ...readable].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--ro-bind', workspace, workspace],
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...['--chdir', workspace],
    '--',
    ...command,
  ],
}

const unsandboxed: Sandbox = {
  name: 'none',
  hasOwnUserNamespace: false,
  description: 'no sandbox (--unsandboxed): generated code runs with your rights',
  wrap: (command) => command,
}

/**
 * Returns the sandbox of this machine. Throws `AutotestError('sandbox_missing')` if there is none and the user does not
 * insist: generated code never runs without.
 */
export async function chooseSandbox(insists: boolean): Promise<Sandbox> {
  if (insists) return unsandboxed
  const problem = await bubblewrapProblem()
  if (problem === undefined) return bubblewrap
  throw new AutotestError('sandbox_missing', `generated code is not run without a sandbox: ${problem}`, {
    hint: 'Install bubblewrap (Debian: apt-get install bubblewrap), or run it with your own rights with --unsandboxed.',
  })
}

/** Returns why bubblewrap cannot be used; undefined if it can. */
function bubblewrapProblem(): Promise<string | undefined> {
  if (process.platform !== 'linux')
    return Promise.resolve(`bubblewrap runs on Linux only, this is ${process.platform}`)
  const command = bubblewrap.wrap(['true'], { workspace: existsSync('/tmp') ? '/tmp' : '/', readable: [] })
  const [program = '', ...args] = command
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 10_000 }, (error, _stdout, stderr) => {
      if (error === null) resolve(undefined)
      else if ('code' in error && error.code === 'ENOENT') resolve('bwrap is not installed')
      else resolve(`bwrap does not work here: ${lastLine(stderr) || error.message}`)
    })
  })
}
