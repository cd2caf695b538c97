import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { chooseSandbox } from '../../src/sandbox/sandbox.js'
import type { Sandbox } from '../../src/sandbox/sandbox-access.js'
import { startPythonWorker } from '../../src/testgen/python/worker.js'
import { testRun } from '../../src/testgen/python/worker-results.js'
import { needsSandbox } from '../needs.js'
import { pythonProject, requirePythonHere, requireSandbox } from '../testgen/python-here.js'

const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** Runs a test with this body in a sandbox, for at most some seconds. */
async function runIn(sandbox: Sandbox['name'], body: string, seconds = 4) {
  const lines = body.split('\n').map((line) => `    ${line}`)
  const project = pythonProject({ 'tests/test_m.py': `def test_f():\n${lines.join('\n')}\n` })
  open.push(project.remove)
  const worker = startPythonWorker({
    ...requirePythonHere(),
    sandbox: requireSandbox(sandbox),
    workspace: project.folder,
    signal: new AbortController().signal,
  })
  open.push(() => worker.close())
  const found = await worker.call('run_tests', { paths: ['tests/test_m.py'], seconds }, testRun, 30_000)
  return { ...found, folder: project.folder, worker }
}

// Each is held to the same.
for (const sandbox of ['bubblewrap', 'namespaces', 'landlock'] as const)
  describe(`in the sandbox: ${sandbox}`, needsSandbox(sandbox), () => {
    const run = (body: string, seconds?: number) => runIn(sandbox, body, seconds)

    it('nothing outside of the workspace can be read', async () => {
      const secret = join(mkdtempSync(join(homedir(), '.autotest-secret-')), 'key')
      writeFileSync(secret, 'sk-secret')
      onTestFinished(() => rmSync(join(secret, '..'), { recursive: true }))
      const { tests } = await run(`print(open(${JSON.stringify(secret)}).read())`)
      expect(tests).toMatchObject([
        {
          outcome: 'failed',
          message: expect.stringContaining(sandbox === 'landlock' ? 'PermissionError' : 'FileNotFoundError'),
        },
      ])
      expect((await run("import os; assert 'SECRET_OF_TESTS' not in os.environ")).tests).toMatchObject([
        { outcome: 'passed' },
      ])
    })

    it('nothing outside of the workspace can be written', async () => {
      const outside = join(tmpdir(), `autotest-outside-${process.pid}`)
      await run(`open(${JSON.stringify(outside)}, "w").write("x")`)
      expect(existsSync(outside)).toBe(false)
      const { tests } = await run('open("/usr/x", "w").write("x")')
      expect(tests).toMatchObject([{ outcome: 'failed' }])
      const inside = await run('open("mine.txt", "w").write("x")')
      expect(readFileSync(join(inside.folder, 'mine.txt'), 'utf8')).toBe('x')
    })

    it('there is no network, not even to this machine', async () => {
      let asked = 0
      const server = createServer((_request, response) => {
        asked++
        response.end()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
      const { port } = server.address() as AddressInfo
      const { tests } = await run(
        `import urllib.request\nurllib.request.urlopen("http://127.0.0.1:${port}/", timeout=1)`,
      )
      expect([tests[0]?.outcome, asked]).toEqual(['failed', 0])
    })

    it.each([
      ['an endless loop', 'while True: pass'],
      [
        'a loop that catches everything',
        'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
      ],
      ['a fork bomb', 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass'],
      ['ten gigabytes', 'x = []\nwhile True: x.append(bytearray(100_000_000))'],
      ['an answer without end', 'import os\nwhile True: os.write(1, b"x" * 65536)'],
    ])('%s ends in its time', { timeout: 60_000 }, async (_name, body) => {
      const started = performance.now()
      const found = await run(body, 2).catch((error: unknown) => error)
      expect(performance.now() - started).toBeLessThan(30_000)
      expect(found).not.toMatchObject({ exit_code: 0 })
    })

    it('what is started and left behind ends with it', async () => {
      const mark = `autotest_daemon_${process.pid}`
      const { worker } = await run(
        `import subprocess, sys\nsubprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)  # ${mark}"], start_new_session=True)`,
      )
      await worker.close()
      // The kernel ends them with the first process of their namespace, a moment later.
      await expect.poll(() => processesWith(mark), { timeout: 3000 }).toEqual([])
    })

    it('its parent cannot be ended, nor this program', async () => {
      const { exit_code: code } = await run(
        `import os, signal\nfor pid in (1, os.getppid(), ${process.pid}):\n    try:\n        os.kill(pid, signal.SIGTERM)\n    except OSError: pass`,
      ).catch(() => ({ exit_code: -1 }))
      expect([0, 1, -1, null]).toContain(code)
    })
  })

it('generated code is not run without one, unless somebody insists', async () => {
  expect(
    (await chooseSandbox(true, { python: { executable: 'python3', folders: [] }, env: {} })).description,
  ).toContain('with your rights')
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
