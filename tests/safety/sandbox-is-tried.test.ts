import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findBubblewrap } from '../../src/sandbox/bubblewrap.js'
import { chooseSandbox, trySandbox } from '../../src/sandbox/sandbox.js'
import type { Sandbox } from '../../src/sandbox/sandbox-access.js'
import { attemptEscape } from '../../src/sandbox/tried-sandboxes.js'
import { needsPython, needsRoot, needsSandbox } from '../needs.js'
import { requirePythonHere, requireSandbox } from '../testgen/python-here.js'

// Promise: a sandbox is used only after attempts to get out of it, as the present user, were held.

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-tried-'))
  folders.push(folder)
  return folder
}

/** A host whose results are kept apart from those of the machine. */
const host = (env: Record<string, string> = {}) => ({
  python: requirePythonHere().python,
  env: { PATH: process.env['PATH'] ?? '', XDG_CACHE_HOME: temporaryFolder(), ...env },
})

/** Returns bubblewrap without some of its arguments, and without what takes rights once more inside. */
function without(...removed: readonly string[]): Sandbox {
  const sandbox = requireSandbox('bubblewrap')
  return {
    ...sandbox,
    wrap(command, access) {
      const wrapped = sandbox.wrap(command, access)
      const end = wrapped.indexOf('--')
      const kept = wrapped.slice(0, end).filter((each) => !removed.includes(each))
      return [...kept, '--', ...command]
    },
  }
}

describe('bubblewrap', needsSandbox('bubblewrap'), () => {
  it.each([
    ['a session of its own', ['--new-session'], 'type into standard input'],
    ['a network of its own', ['--unshare-net'], 'connect to this machine'],
    ['processes of its own', ['--unshare-pid', '--as-pid-1'], 'signal a process'],
    ['closed descriptors', [], 'write into what was left open'],
  ])('without %s is not used', async (_what, removed, attempt) => {
    const tried = await trySandbox({ name: 'bubblewrap', sandbox: without(...removed) }, host())
    expect(tried).toContain('bubblewrap does not hold here')
    expect(tried).toContain(attempt)
  })

  it.each([
    ['giving up capabilities', ['--cap-drop', 'ALL', '--uid', '--gid', '65534'], 'remount what is read-only'],
    ['a /proc that is read-only', ['--remount-ro', '/proc'], 'open /proc/sys/kernel/core_pattern'],
  ])('of root without %s is not used', needsRoot, async (_what, removed, attempt) => {
    // `/proc` is also where it is mounted.
    const sandbox = without(...removed)
    const mounting: Sandbox = {
      ...sandbox,
      wrap: (command, access) => {
        const [program = '', ...args] = sandbox.wrap(command, access)
        return [program, ...args.flatMap((each) => (each === '--proc' ? ['--proc', '/proc'] : [each]))]
      },
    }
    const tried = await trySandbox(
      { name: 'bubblewrap', sandbox: removed.includes('/proc') ? mounting : sandbox },
      host(),
    )
    expect(tried).toContain(attempt)
  })

  it('is started by the path that it was found by', async () => {
    const folder = temporaryFolder()
    const own = join(folder, 'bwrap')
    copyFileSync(findBubblewrap(process.env['PATH']) ?? '', own)
    chmodSync(own, 0o755)
    const sandbox = await chooseSandbox(false, host({ PATH: folder }))
    expect([sandbox.name, sandbox.wrap([], { workspace: '/', temporary: '/', readable: [] })[0]]).toEqual([
      'bubblewrap',
      own,
    ])
    expect(sandbox.description).toContain(own)
  })
})

describe('a program that is called bwrap', needsSandbox('namespaces'), () => {
  const wrapper = (text: string): string => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    return folder
  }

  it('and restricts nothing is not used, and the notice says why', async () => {
    const folder = wrapper('while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
    const sandbox = await chooseSandbox(false, host({ PATH: folder }))
    expect(sandbox.name).toBe('namespaces')
    expect(sandbox.description).toContain('bubblewrap does not hold here: read a file')
  })

  it('and fails is not used, and the notice has its words', async () => {
    const folder = wrapper('echo "bwrap: no namespaces in this container" >&2; exit 1')
    const { name, description } = await chooseSandbox(false, host({ PATH: folder }))
    expect([name, description]).toEqual([
      'namespaces',
      expect.stringContaining('bwrap: no namespaces in this container'),
    ])
  })

  it('in a folder that depends on where autotest was started is not found', () => {
    expect(findBubblewrap('.:bin:')).toBeUndefined()
  })
})

/** Runs the program in a project with some files; the answer has its exit code and what it said. */
async function sandboxIn(prepare: (root: string) => void, env: Record<string, string>): Promise<string> {
  const root = temporaryFolder()
  for (const folder of ['src', 'agents']) mkdirSync(join(root, folder))
  prepare(root)
  const main = resolve(import.meta.dirname, '../../dist/cli/main.js')
  const args = [main, 'sandbox', '--role', 'coder', '--', 'true']
  return new Promise((done) =>
    execFile(process.execPath, args, { cwd: root, env, timeout: 30_000 }, (error, _stdout, stderr) =>
      done(`${error?.code ?? 0} ${stderr}`),
    ),
  )
}

it('without Python no sandbox can be tried, and nothing runs', async () => {
  const said = await sandboxIn(() => undefined, { PATH: temporaryFolder(), HOME: temporaryFolder() })
  expect(said).toMatch(/^2 .*no Python 3\.9 or newer was found[\s\S]*Install Python 3/)
})

it('a role file that is a device is an error with its name', async () => {
  const device = (root: string) => symlinkSync('/dev/zero', join(root, 'agents/coder.yaml'))
  const said = await sandboxIn(device, { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder() })
  expect(said).toMatch(/^2 .*agents\/coder\.yaml: is a symbolic link/)
})

describe('attempts', needsPython, () => {
  it('change nothing where no sandbox holds them', async () => {
    const before = stateOfMachine()
    const nothing: Sandbox = { ...requirePythonHere().sandbox, wrap: (command) => command }
    const found = await attemptEscape(nothing, host())
    if (typeof found === 'string') throw new Error(found)
    const out = new Set(found.attempts.filter(({ held }) => !held).map(({ promise }) => promise))
    expect([...out]).toEqual(expect.arrayContaining(['files outside', 'the terminal', 'network', 'signals']))
    expect(stateOfMachine()).toEqual(before)
  })

  it(
    'are made once for a user, a start of the machine and a program',
    needsSandbox('namespaces'),
    async () => {
      const here = host()
      const program = join(temporaryFolder(), 'bwrap')
      writeFileSync(program, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
      const sandbox = requireSandbox('namespaces')
      const cache = join(here.env.XDG_CACHE_HOME, 'autotest', 'sandbox')
      const first = await attemptEscape(sandbox, here)
      const [file = ''] = readdirSync(cache)
      expect([typeof first, readdirSync(cache)]).toEqual(['object', [file]])
      const kept = { attempts: [{ attempt: 'kept', promise: 'kept', held: true }] }
      writeFileSync(join(cache, file), JSON.stringify(kept))
      expect(await attemptEscape(sandbox, here)).toEqual(kept)
      // Others could have written it.
      chmodSync(join(cache, file), 0o666)
      expect(await attemptEscape(sandbox, here)).not.toEqual(kept)
    },
  )

  it('are made again when the program has changed', needsSandbox('bubblewrap'), async () => {
    const folder = temporaryFolder()
    const own = join(folder, 'bwrap')
    copyFileSync(findBubblewrap(process.env['PATH']) ?? '', own)
    chmodSync(own, 0o755)
    const here = host({ PATH: folder })
    const cache = join(here.env.XDG_CACHE_HOME, 'autotest', 'sandbox')
    await chooseSandbox(false, here)
    utimesSync(own, 1, 1)
    await chooseSandbox(false, here)
    expect(readdirSync(cache)).toHaveLength(2)
  })
})

/** What attempts could have changed of this machine. */
function stateOfMachine(): unknown {
  const settings = [
    'kernel/core_pattern',
    'kernel/hostname',
    'vm/overcommit_memory',
    'fs/file-max',
    'kernel/modprobe',
  ]
  return {
    mounts: readFileSync('/proc/self/mountinfo', 'utf8'),
    settings: settings
      .map((path) => `/proc/sys/${path}`)
      .map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)),
    hostname: hostname(),
    limits: readFileSync('/proc/self/limits', 'utf8'),
  }
}
