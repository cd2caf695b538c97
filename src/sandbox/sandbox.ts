import { execFile } from 'node:child_process'
import { AutotestError } from '../errors.js'
import { builtModulePath } from '../platform/built-module.js'
import { lastLine } from '../text/last-line.js'
import type { Sandbox, SandboxAccess } from './sandbox-access.js'
import { seatbelt } from './seatbelt.js'

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

export const bubblewrap: Sandbox = {
  name: 'bubblewrap',
  hasOwnUserNamespace: true,
  placesFolders: true,
  description: 'bubblewrap: no network, only the workspace is writable',
  wrap: (command, { workspace, cwd = workspace, writable = [workspace], placed = [], readable }) => [
    'bwrap',
    '--die-with-parent',
    '--unshare-all',
    '--new-session',
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp'],
    ...[...systemFolders, ...readable].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--ro-bind', workspace, workspace],
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...placed.flatMap(({ folder, at, readOnly }) => [readOnly === true ? '--ro-bind' : '--bind', folder, at]),
    ...['--chdir', cwd],
    '--',
    ...command,
  ],
  environment: () => ({}),
}

/** The worker takes its own rights before it reads a request, so that everything that it starts has no more. */
function landlockEnvironment({
  workspace,
  writable = [workspace],
  temporary,
  readable,
}: SandboxAccess): Readonly<Record<string, string>> {
  const paths = {
    readable: [...systemFolders, ...readable, workspace],
    writable: [...writable, temporary],
  }
  return { AUTOTEST_LANDLOCK: JSON.stringify(paths), TMPDIR: temporary, HOME: temporary }
}

export const landlockWithoutNetwork: Sandbox = {
  name: 'landlock without network',
  hasOwnUserNamespace: true,
  placesFolders: false,
  description: 'Landlock in namespaces of its own: no network, only the workspace is writable',
  wrap: (command) => [
    'unshare',
    ...['--user', '--map-current-user', '--net', '--ipc', '--pid', '--fork', '--kill-child', '--'],
    ...command,
  ],
  environment: landlockEnvironment,
}

export const landlock: Sandbox = {
  name: 'landlock',
  hasOwnUserNamespace: false,
  placesFolders: false,
  description:
    'Landlock alone: only the workspace is writable; UDP can leave this machine, and TCP with a kernel older than 6.7; what is started and left behind is not ended',
  wrap: (command) => command,
  environment: landlockEnvironment,
}

const unsandboxed: Sandbox = {
  name: 'none',
  hasOwnUserNamespace: false,
  placesFolders: false,
  description: 'no sandbox (--unsandboxed): generated code runs with your rights',
  wrap: (command) => command,
  environment: () => ({}),
}

/** Returns the sandboxes that are built for this system, the strongest first. */
export function sandboxLadder(): readonly Sandbox[] {
  if (process.platform === 'darwin') return [seatbelt]
  return process.platform === 'linux' ? [bubblewrap, landlockWithoutNetwork, landlock] : []
}

/**
 * Returns why a sandbox does not hold on this machine; undefined if it does: it is tried, not taken on trust.
 *
 * @param python program that a sandbox is tried with
 */
export async function sandboxProblem(sandbox: Sandbox, python: string): Promise<string | undefined> {
  if (sandbox === bubblewrap) return bubblewrapProblem()
  if (await restricts(sandbox, python)) return undefined
  if (sandbox === seatbelt) return 'sandbox-exec does not restrict what runs in it here'
  return sandbox === landlock ? 'this kernel has no Landlock' : 'there is no Landlock in namespaces here'
}

/**
 * Returns the strongest sandbox of this machine. Throws `AutotestError('sandbox_missing')` if there is none and the user
 * does not insist: generated code never runs without.
 *
 * @param python program that a sandbox is tried with
 */
export async function chooseSandbox(insists: boolean, python: string): Promise<Sandbox> {
  if (insists) return unsandboxed
  const problems: string[] = []
  for (const sandbox of sandboxLadder()) {
    const problem = await sandboxProblem(sandbox, python)
    if (problem === undefined) return sandbox
    problems.push(problem)
  }
  const [strongest, weakest] = [problems[0], problems.at(-1)]
  if (strongest === undefined)
    throw missing(`it is built for Linux and macOS, this is ${process.platform}; on Windows, use WSL`)
  throw missing(problems.length === 1 ? strongest : `${strongest}, and ${weakest}`)
}

function missing(why: string): AutotestError {
  return new AutotestError('sandbox_missing', `generated code is not run without a sandbox: ${why}`, {
    hint: 'On Linux, install bubblewrap (Debian: apt-get install bubblewrap); or run it with your own rights with --unsandboxed.',
  })
}

/** Returns why bubblewrap cannot be used; undefined if it can. */
function bubblewrapProblem(): Promise<string | undefined> {
  const command = bubblewrap.wrap(['true'], { workspace: '/tmp', temporary: '/tmp', readable: [] })
  const [program = '', ...args] = command
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 10_000 }, (error, _stdout, stderr) => {
      if (error === null) resolve(undefined)
      else if ('code' in error && error.code === 'ENOENT') resolve('bwrap is not installed')
      else resolve(`bwrap does not work here: ${lastLine(stderr) || error.message}`)
    })
  })
}

/** Prints what is denied: a file that everybody may read. */
const deniedRead = `
from autotest_worker import landlock
landlock.restrict_as_told()
try:
    open("/etc/passwd").close()
except PermissionError:
    print("denied")
`

/** Reports whether a sandbox denies what is not named. */
function restricts(sandbox: Sandbox, python: string): Promise<boolean> {
  const code = builtModulePath('python')
  const access: SandboxAccess = { workspace: '/tmp', temporary: '/tmp', readable: [code, python] }
  const [program = '', ...args] = sandbox.wrap([python, '-c', deniedRead], access)
  const env = { ...sandbox.environment(access), PATH: '/usr/bin:/bin', PYTHONPATH: code }
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 20_000, env }, (error, stdout) =>
      resolve(error === null && stdout.trim() === 'denied'),
    )
  })
}
