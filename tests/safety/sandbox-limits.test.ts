import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runRoleCommand } from '../../src/app/roles/role-sandbox.js'
import { roleNamed } from '../../src/roles/role.js'
import { runSandboxed } from '../../src/sandbox/run-sandboxed.js'
import { defaultLimits, type Sandbox, type SandboxLimits } from '../../src/sandbox/sandbox-access.js'
import { needsSandbox } from '../needs.js'
import { requirePythonHere, requireSandbox } from '../testgen/python-here.js'

// Promise: every run has limits of memory, processes, files and time, an agent's command too; and nothing stays when it ends.

let root = ''
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'autotest-limits-')))
  for (const folder of ['src', 'tmp']) mkdirSync(join(root, folder))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Ended {
  readonly exitCode: number
  readonly isLate: boolean
  readonly output: string
}

/** Runs a script of Python in a sandbox with small limits. */
async function run(name: Sandbox['name'], script: string, timeoutMs = 30_000): Promise<Ended> {
  const [output, errors] = [new PassThrough(), new PassThrough()]
  const limits: SandboxLimits = { memoryBytes: 256 * 1024 ** 2, fileBytes: 1024 ** 2, processes: 24 }
  const { python } = requirePythonHere()
  const access = { workspace: root, temporary: join(root, 'tmp'), readable: python.folders, limits }
  const start = {
    sandbox: requireSandbox(name),
    command: [python.executable, '-c', script],
    access,
    env: { PATH: '/usr/bin:/bin' },
  }
  const streams = { input: Readable.from([]), output, errors }
  const ended = await runSandboxed(start, { timeoutMs, streams, signal: new AbortController().signal })
  return { ...ended, output: `${output.read() ?? ''}${errors.read() ?? ''}` }
}

for (const name of ['bubblewrap', 'namespaces', 'landlock'] as const)
  describe(`in ${name}`, { ...needsSandbox(name), timeout: 60_000 }, () => {
    it('a process has its memory and no more, shared memory too', async () => {
      const own = await run(name, 'x = []\nwhile True: x.append(bytearray(20_000_000))')
      expect([own.exitCode, own.output]).toEqual([1, expect.stringContaining('MemoryError')])
      const shared =
        'import mmap, time\nm = mmap.mmap(-1, 600_000_000)\nm.write(b"x" * 600_000_000)\ntime.sleep(60)'
      const ended = await run(name, shared)
      expect(ended.exitCode).not.toBe(0)
      expect(ended.isLate).toBe(false)
    })

    it('there are so many processes at a time and no more', async () => {
      const mark = `autotest-limit-${process.pid}-${name}`
      const script = `import os, time\nfor _ in range(200):\n    if os.fork() == 0:\n        time.sleep(60)  # ${mark}\ntime.sleep(60)`
      const { exitCode, isLate } = await run(name, script)
      expect([exitCode === 0, isLate]).toEqual([false, false])
      expect(processesWith(mark)).toEqual([])
    })

    it('a file has its size and no more', async () => {
      const { exitCode } = await run(name, 'open("large", "wb").write(b"x" * 2_000_000)')
      expect(exitCode).not.toBe(0)
      rmSync(join(root, 'large'), { force: true })
    })

    it('a command ends in its time, with all that it started', async () => {
      const mark = `autotest-late-${process.pid}-${name}`
      const left = `import subprocess, sys, time\nsubprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)  # ${mark}"], start_new_session=True)\ntime.sleep(60)`
      const { exitCode, isLate } = await run(name, left, 1500)
      expect([exitCode, isLate]).toEqual([124, true])
      await expect.poll(() => processesWith(mark), { timeout: 5000 }).toEqual([])
    })

    it('what is left behind ends with the command that started it', async () => {
      const mark = `autotest-left-${process.pid}-${name}`
      const left = `import subprocess, sys\nsubprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)  # ${mark}"], start_new_session=True)`
      expect(await run(name, left)).toMatchObject({ exitCode: 0, isLate: false })
      await expect.poll(() => processesWith(mark), { timeout: 5000 }).toEqual([])
    })

    it('a command of a role has the same limits, and a terminal never', async () => {
      const output = new PassThrough()
      const script =
        'ulimit -c; ulimit -f; ulimit -d; for each in 0 1 2; do test -t $each && echo terminal; done; true > /dev/tty || echo none'
      const { exitCode, dispose } = await runRoleCommand({
        role: roleNamed('coder'),
        root,
        cwd: root,
        command: ['sh', '-c', script],
        env: process.env,
        sandbox: requireSandbox(name),
        timeoutMs: 20_000,
        streams: { input: Readable.from([]), output, errors: new PassThrough() },
        signal: new AbortController().signal,
      })
      await dispose()
      const [core, file, data, ...rest] = String(output.read()).trim().split('\n')
      expect([exitCode, core, Number(data) * 1024, rest]).toEqual([
        0,
        '0',
        defaultLimits.memoryBytes,
        ['none'],
      ])
      // Shells count files in blocks of 512 or 1024 bytes.
      expect([512, 1024].map((size) => Number(file) * size)).toContain(defaultLimits.fileBytes)
    })
  })

it('autotest sandbox types nothing into the terminal that it is started from', {
  ...needsSandbox('bubblewrap'),
  timeout: 60_000,
}, async () => {
  const { python } = requirePythonHere()
  const typing =
    'import fcntl, os, termios\nfor each in (0, 1, 2, "/dev/tty"):\n    try: fcntl.ioctl(each if isinstance(each, int) else os.open(each, os.O_RDWR), termios.TIOCSTI, b"#")\n    except OSError: continue\n    print("TYPED")'
  writeFileSync(join(root, 'src/typing_test.py'), typing)
  const main = resolve(import.meta.dirname, '../../dist/cli/main.js')
  const command = [
    process.execPath,
    main,
    'sandbox',
    '--role',
    'coder',
    '--',
    python.executable,
    'src/typing_test.py',
  ]
  // A terminal of its own, whose input is looked at when the command has ended.
  const terminal = `
import json, os, pty, select, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while select.select([terminal], [], [], 20)[0]:
    try: part = os.read(terminal, 4096)
    except OSError: break
    if not part: break
    seen += part
print(json.dumps([seen.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])]))
`
  const output = await new Promise<string>((done) =>
    execFile(
      python.executable,
      ['-c', terminal, ...command],
      { cwd: root, env: process.env, timeout: 40_000 },
      (_error, stdout, stderr) => done(stdout || stderr),
    ),
  )
  // What is typed into a terminal is echoed by it.
  expect(JSON.parse(output)).toEqual(['', 0])
})

function processesWith(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
      } catch {
        return false
      }
    })
}
