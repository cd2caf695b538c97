import { AutotestError } from '../errors.js'
import { bubblewrap, findBubblewrap, runsAsAnother } from './bubblewrap.js'
import { confinedCommand } from './confinement.js'
import type { Sandbox, SandboxPython } from './sandbox-access.js'
import { seatbelt } from './seatbelt.js'
import { attemptEscape, type Escapes, type SandboxHost } from './tried-sandboxes.js'

/** Namespaces that an ordinary user may make, built as bubblewrap builds them. */
function namespaces(python: SandboxPython): Sandbox {
  return {
    name: 'namespaces',
    placesFolders: true,
    description: 'namespaces of the kernel: no network, only the workspace is writable',
    open: [],
    wrap: (command, access) => confinedCommand(python, 'namespaces', command, access),
    environment: () => ({}),
  }
}

/** The weakest: it holds what files contain, and neither their modes nor all of the network. */
function landlock(python: SandboxPython): Sandbox {
  return {
    name: 'landlock',
    placesFolders: false,
    description: 'Landlock alone: what is written lands in the workspace',
    open: [],
    wrap: (command, access) => confinedCommand(python, 'landlock', command, access),
    environment: ({ temporary }) => ({ TMPDIR: temporary, HOME: temporary }),
  }
}

/** Runs code with the user's own rights; what it takes of the machine is limited all the same. */
function unsandboxed(python: SandboxPython): Sandbox {
  return {
    name: 'none',
    placesFolders: false,
    description: 'no sandbox (--unsandboxed): generated code runs with your rights',
    open: ['everything that you may do'],
    wrap: (command, access) => confinedCommand(python, 'none', command, access),
    environment: () => ({}),
  }
}

/** A sandbox that is built for this system, or why it is not there. */
export interface Rung {
  readonly name: Sandbox['name']
  readonly sandbox: Sandbox | string
}

/** Returns the sandboxes that are built for this system, the strongest first. */
export function sandboxLadder({ python, env }: SandboxHost): readonly Rung[] {
  if (process.platform === 'darwin') return [{ name: 'sandbox-exec', sandbox: seatbelt(python) }]
  if (process.platform !== 'linux') return []
  const program = findBubblewrap(env['PATH'])
  return [
    {
      name: 'bubblewrap',
      sandbox:
        program === undefined
          ? 'bwrap is not installed'
          : runsAsAnother(program)
            ? `${program} is setuid, and you could not end what it leaves behind`
            : bubblewrap(program, python),
    },
    { name: 'namespaces', sandbox: namespaces(python) },
    { name: 'landlock', sandbox: landlock(python) },
  ]
}

/** What may stay open in a sandbox that is used, by the name of what was promised: the notice says it. Nothing else may. */
const toleratedBy: Readonly<Partial<Record<Sandbox['name'], ReadonlySet<string>>>> = {
  landlock: new Set([
    'modes and times of files outside',
    'network',
    'local sockets',
    'signals',
    'limits and priorities of other processes',
    'System V IPC',
    'POSIX message queues',
  ]),
  'sandbox-exec': new Set(['modes and times of files outside', 'signals']),
}

/**
 * Returns a sandbox with what held when it was tried here, as this user; in words why it is not used if it does not start, or something got out that it has
 * to hold.
 */
export async function trySandbox({ name, sandbox }: Rung, host: SandboxHost): Promise<Sandbox | string> {
  if (typeof sandbox === 'string') return sandbox
  const found = await attemptEscape(sandbox, host)
  if (typeof found === 'string') return found
  const open = found.attempts.filter(({ held }) => !held)
  const tolerated = toleratedBy[name]
  const fatal = open.filter(({ promise }) => tolerated?.has(promise) !== true)
  if (fatal.length > 0) return `${name} does not hold here: ${fatal.map(({ attempt }) => attempt).join(', ')}`
  return {
    ...sandbox,
    description: `${sandbox.description} (${describe(found)})`,
    open: [...sandbox.open, ...new Set(open.map(({ promise }) => promise))],
  }
}

/** Returns `27 attempts to get out held: files outside, mounts, …`. */
function describe({ attempts, version }: Escapes): string {
  const open = new Set(attempts.filter(({ held }) => !held).map(({ promise }) => promise))
  const held = new Set(attempts.map(({ promise }) => promise).filter((promise) => !open.has(promise)))
  const of = attempts.filter((each) => each.held).length
  const count = open.size === 0 ? `${of}` : `${of} of ${attempts.length}`
  return [
    ...(version === undefined ? [] : [version]),
    `${count} attempts to get out held: ${[...held].join(', ')}`,
    ...(open.size === 0 ? [] : [`NOT held: ${[...open].join(', ')}`]),
  ].join('; ')
}

/**
 * Returns the strongest sandbox of this machine, which was tried. Throws `AutotestError('sandbox_missing')` if none holds and the user does not insist:
 * generated code never runs without.
 */
export async function chooseSandbox(insists: boolean, host: SandboxHost): Promise<Sandbox> {
  if (insists) return unsandboxed(host.python)
  const problems: string[] = []
  for (const rung of sandboxLadder(host)) {
    const tried = await trySandbox(rung, host)
    if (typeof tried !== 'string')
      return problems.length === 0
        ? tried
        : { ...tried, description: `${tried.description}; ${problems.join('; ')}` }
    problems.push(tried)
  }
  if (problems.length === 0)
    throw missing(`it is built for Linux and macOS, this is ${process.platform}; on Windows, use WSL`)
  throw missing(problems.join('; '))
}

function missing(why: string): AutotestError {
  return new AutotestError('sandbox_missing', `generated code is not run without a sandbox: ${why}`, {
    hint: 'On Linux, install bubblewrap (Debian: apt-get install bubblewrap); or run it with your own rights with --unsandboxed.',
  })
}
