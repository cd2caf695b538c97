import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { afterAll, afterEach, expect, it } from 'vitest'
import { CancellationTokenSource } from 'vscode-jsonrpc/node'
import { createWorkQueue } from '../../src/app/serve/work-queue.js'
import { removeFolders } from '../e2e/sample.js'
import { connect, killServers } from '../e2e/serve-connection.js'
import { rightSource, sourcePath, tddProject } from '../e2e/tdd-project.js'
import { needsProc, needsPython } from '../needs.js'

afterEach(killServers)
afterAll(removeFolders)

const slowTest = 'tests/unit/test_slow.py'
const project = (): string =>
  tddProject({
    [sourcePath]: rightSource,
    [slowTest]: 'import time\n\n\ndef test_slow():\n    time.sleep(30)\n',
  })

/** Returns how many processes another one has started, and which are there. */
function childrenOf(pid: number | undefined): number {
  const table = execFileSync('ps', ['-A', '-o', 'ppid='], { encoding: 'utf8' })
  return table.split('\n').filter((parent) => Number(parent) === pid).length
}

const needs = { ...needsPython, ...needsProc, timeout: 120_000 }

it(
  '300 requests and 300 cancels: each is answered, and there are never more than two processes a processor',
  needs,
  async () => {
    const { connection, server } = connect(project())
    const outcomes: unknown[] = []
    const sources = Array.from({ length: 300 }, () => new CancellationTokenSource())
    const asked = sources.map((source) =>
      connection.sendRequest('run_tests', { testPath: slowTest }, source.token).then(
        () => outcomes.push('result'),
        ({ code }: { code: number }) => outcomes.push(code),
      ),
    )
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, childrenOf(server.pid))
    }, 100)
    // Some are running by then, the others wait.
    await expect.poll(() => childrenOf(server.pid), { timeout: 60_000 }).toBeGreaterThan(0)
    const cancelled = performance.now()
    for (const source of sources) source.cancel()
    await Promise.all(asked)
    clearInterval(watch)
    // Nothing waited for the 30 s of a test.
    expect(performance.now() - cancelled).toBeLessThan(15_000)
    expect(outcomes).toEqual(Array.from({ length: 300 }, () => -32800))
    expect(most).toBeLessThanOrEqual(2 * availableParallelism())
    // It still answers, and nothing of what was cancelled goes on.
    expect(await connection.sendRequest('parse_file', { filePath: sourcePath })).toHaveLength(2)
    await expect.poll(() => childrenOf(server.pid), { timeout: 20_000 }).toBeLessThanOrEqual(1)
  },
)

it('a cancel that comes before its request was begun is answered at once', needs, async () => {
  const { connection } = connect(project())
  const source = new CancellationTokenSource()
  const asked = connection.sendRequest('run_tests', { testPath: slowTest }, source.token)
  // Both are in the input before the server has started.
  source.cancel()
  await expect(asked).rejects.toMatchObject({ code: -32800 })
})

it('a place is kept until work has ended, and work that waits is not begun after its cancel', async () => {
  const queue = createWorkQueue(1)
  const begun: string[] = []
  let finish = (): void => undefined
  const first = new AbortController()
  const slow = queue.add(
    () =>
      new Promise<void>((resolve) => {
        begun.push('first')
        finish = resolve
      }),
    first.signal,
    true,
  )
  const second = new AbortController()
  const waiting = queue.add(async () => begun.push('second'), second.signal, false)
  const third = queue.add(async () => begun.push('third'), new AbortController().signal, false)
  second.abort()
  await expect(waiting).rejects.toThrow('cancelled')
  first.abort()
  await expect(slow).rejects.toThrow('cancelled')
  // The first is answered, and its processes are not gone yet.
  expect(begun).toEqual(['first'])
  finish()
  await third
  expect(begun).toEqual(['first', 'third'])
})

it('work that writes is answered with what it did, also where its cancel came too late', async () => {
  const queue = createWorkQueue(1)
  const abort = new AbortController()
  const written = queue.add(
    async () => {
      abort.abort()
      return 'written'
    },
    abort.signal,
    false,
  )
  expect(await written).toBe('written')
})
