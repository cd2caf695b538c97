import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Agent } from '../../src/agent/agent.js'
import { type CommandAgentOptions, commandAgent } from '../../src/agent/command-agent.js'
import { createRedactor } from '../../src/text/secrets.js'
import { agentContract, ask, dauFiles, snapshotOf } from '../contracts/agent.contract.js'
import { asOrdinaryUser } from '../ordinary-user.js'
import { scratchRoot } from './temporary-root.js'

const secret = 'sk-proj-0123456789-abcdefghijklmnopqrstuvwxyz'
const redact = createRedactor({ BOT_TOKEN: secret })
const defaults = { kbFolder: 'kb', timeoutMs: 20_000, deterministic: true, env: [], redact }
const snapshot = snapshotOf(dauFiles)
const sqlAnswer = '{"type":"sql","sql":"SELECT 1"}'

function shellAgent(script: string, options: Partial<CommandAgentOptions> = {}): Agent & { root: string } {
  const root = scratchRoot({ 'agent.sh': script })
  const agent = commandAgent({ ...defaults, root, run: ['sh', 'agent.sh'], ...options })
  onTestFinished(() => agent.close())
  return { ...agent, root }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** A folder that this user may not enter, until the test ends: not every Node removes it as it is. */
function lockedFolder(root: string): void {
  mkdirSync(join(root, 'locked'), { mode: 0 })
  onTestFinished(() => chmodSync(join(root, 'locked'), 0o700))
}

const usualPath = process.env['PATH']
afterEach(() => {
  process.env['PATH'] = usualPath
})

describe('command agent', () => {
  agentContract(() =>
    commandAgent({
      ...defaults,
      root: resolve('.'),
      run: [process.execPath, 'agents/examples/command-agent.mjs'],
    }),
  )

  it('writes one line of JSON and closes standard input', async () => {
    const agent = shellAgent(`cat > request.json; echo '${sqlAnswer}'`)
    const sample = await agent.ask(ask('how many?', 'c1'), snapshot)
    expect(sample).toMatchObject({ kind: 'answer', text: 'SELECT 1', read: 'all' })
    const sent = readFileSync(join(agent.root, 'request.json'), 'utf8')
    expect(sent.endsWith('}\n')).toBe(true)
    expect(JSON.parse(sent)).toMatchObject({ id: 'c1', question: 'how many?', as_of: '2025-12-31' })
  })

  it('gives it the knowledge base as files', async () => {
    const agent = shellAgent(
      `read -r request; kb="\${request#*\\"kb\\":\\"}"; kb="\${kb%%\\"*}"; printf '{"type":"no_answer","message":"%s"}' "$(head -n 1 "$kb/snippets/dau.sql")"`,
    )
    expect(await agent.ask(ask('x'), snapshot)).toMatchObject({
      message: 'SELECT avg(a1) AS dau FROM visits',
    })
  })

  it.each([
    ['it exited with code 3', 'echo "no database" >&2; exit 3', 'no database'],
    ['terminated by SIGTERM', 'kill -TERM $$', undefined],
    ['not one JSON value: hello', 'echo hello', '"type": "sql"'],
    ['not one JSON value: (nothing)', 'true', '"type": "sql"'],
    ['not one JSON value', `echo '${sqlAnswer}'; echo '${sqlAnswer}'`, '"type": "sql"'],
    [
      'the answer is ambiguous: it has the key sql twice',
      `echo '{"type":"sql","sql":"SELECT 1","sql":"SELECT 2"}'`,
      '"type": "sql"',
    ],
    ['the answer has the wrong format: []', 'echo []', '"type": "sql"'],
    ['more than 1 MB', 'yes | head -c 3000000', undefined],
  ])('reports: %s', async (message, script, detail) => {
    const sample = await shellAgent(script).ask(ask('x'), snapshot)
    expect(sample).toMatchObject({ kind: 'error', message: expect.stringContaining(message) })
    if (sample.kind === 'error' && detail !== undefined) expect(sample.detail).toContain(detail)
  })

  it('takes words in a comment, without a query, for no answer', async () => {
    const agent = shellAgent(`echo '{"type":"sql","sql":"/* which market? */"}'`)
    expect(await agent.ask(ask('x'), snapshot)).toMatchObject({
      kind: 'no_answer',
      message: 'which market? (a comment in place of a query)',
    })
  })

  it('keeps the end of a long standard error', async () => {
    const sample = await shellAgent('yes noise | head -c 100000 >&2; echo the reason >&2; exit 1').ask(
      ask('x'),
      snapshot,
    )
    if (sample.kind !== 'error') throw new Error(sample.kind)
    expect(sample.detail).toContain('the reason')
    expect((sample.detail ?? '').length).toBeLessThanOrEqual(2_000)
  })

  it.each([0, 20, 44])(
    'shows no part of a key that %i characters of its standard error cut off',
    async (lost) => {
      const fill = 2000 - secret.length + lost
      const script = `printf '%s%*s' '${secret}' ${fill} end >&2; exit 1`
      const sample = await shellAgent(script).ask(ask('x'), snapshot)
      if (sample.kind !== 'error') throw new Error(sample.kind)
      expect(sample.detail).toMatch(/end$/)
      expect(sample.detail).not.toMatch(/sk-|mnop|wxyz/)
    },
  )

  it('shows no part of a key in an answer that is shown in part', async () => {
    for (const before of [100, 150, 170]) {
      const script = `printf '%*s %s' ${before} x '${secret}' | tr ' ' -`
      const sample = await shellAgent(script).ask(ask('x'), snapshot)
      expect(JSON.stringify(sample)).toContain('not one JSON value')
      expect(JSON.stringify(sample)).not.toContain('sk-')
    }
  })

  it('accepts an answer from a program that never read its question', async () => {
    const long = ask('x'.repeat(1_000_000))
    const sample = await shellAgent(`exec <&-; echo '${sqlAnswer}'`).ask(long, snapshot)
    expect(sample).toMatchObject({ kind: 'answer' })
  })

  it('kills what passes its deadline, with everything it started', async () => {
    const agent = shellAgent('sleep 60 & echo $! > pid; wait', { timeoutMs: 400 })
    const sample = await agent.ask(ask('x'), snapshot)
    expect(sample).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('no answer within 0.4 s'),
    })
    const pid = Number(readFileSync(join(agent.root, 'pid'), 'utf8'))
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 })
  })

  it('does not wait for what a finished program left behind', async () => {
    // Longer than a test may take.
    const sample = await shellAgent(`sleep 600 & echo '${sqlAnswer}'`).ask(ask('x'), snapshot)
    expect(sample).toMatchObject({ kind: 'answer' })
  })

  it('ends its programs when it is interrupted or closed', async () => {
    const agent = shellAgent('sleep 60')
    const stop = new AbortController()
    const interrupted = agent.ask(ask('x'), snapshot, stop.signal)
    const closed = agent.ask(ask('y'), snapshot)
    await sleep(50)
    stop.abort()
    expect(await interrupted).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('interrupted'),
    })
    await agent.close()
    expect(await closed).toMatchObject({ kind: 'error', message: expect.stringContaining('interrupted') })
  })

  it('gives no variables of the environment but the usual and the named', async () => {
    process.env['AUTOTEST_SECRET'] = 'hidden'
    process.env['AUTOTEST_NAMED'] = 'given'
    const script = `printf '{"type":"no_answer","message":"%s"}' "$(env | sort | tr '\\n' ' ')"`
    const sample = await shellAgent(script, { env: ['AUTOTEST_NAMED'] }).ask(ask('x'), snapshot)
    if (sample.kind !== 'no_answer') throw new Error(JSON.stringify(sample))
    expect(sample.message).toContain('AUTOTEST_NAMED=given')
    expect(sample.message).toContain('PATH=')
    expect(sample.message).not.toContain('hidden')
  })

  it.each([
    ['was not found', ['autotest-no-such-program']],
    ['was not found', ['./missing.sh']],
    ['is not executable', ['./agent.sh']],
    ['cannot be started', ['sh', 'a\0b']],
    ['cannot be started', ['']],
  ])('says why a program %s', async (message, run) => {
    const agent = shellAgent('true', { run })
    chmodSync(join(agent.root, 'agent.sh'), 0o644)
    expect(await agent.ask(ask('x'), snapshot)).toMatchObject({
      kind: 'error',
      message: expect.stringContaining(message),
    })
  })

  it('says that no folder of PATH has a program, where one of them may not be entered', async () => {
    const agent = shellAgent('true', { run: ['autotest-no-such-program'] })
    lockedFolder(agent.root)
    process.env['PATH'] = `${join(agent.root, 'locked')}:${usualPath}`
    expect(await asOrdinaryUser(agent.root, () => agent.ask(ask('x'), snapshot))).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('was not found; check agent.run and PATH'),
    })
  })

  it('says that a program of PATH may not be executed, whatever other folders there are', async () => {
    const agent = shellAgent('true', { run: ['agent.sh'] })
    chmodSync(join(agent.root, 'agent.sh'), 0o644)
    process.env['PATH'] = `${agent.root}:${usualPath}`
    expect(await agent.ask(ask('x'), snapshot)).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('is not executable; chmod +x it'),
    })
  })

  it.each([
    ['is in a folder that this user cannot access', './locked/agent.sh'],
    ['is a folder', './locked'],
  ])('says that a program %s', async (message, program) => {
    const agent = shellAgent('true', { run: [program] })
    lockedFolder(agent.root)
    expect(await asOrdinaryUser(agent.root, () => agent.ask(ask('x'), snapshot))).toMatchObject({
      kind: 'error',
      message: expect.stringContaining(message),
    })
  })

  it('reads no shell syntax in its arguments', async () => {
    const root = scratchRoot({ 'agent.sh': `echo "{\\"type\\":\\"no_answer\\",\\"message\\":\\"$1\\"}"` })
    const agent = commandAgent({ ...defaults, root, run: ['sh', 'agent.sh', '$(touch hacked); *'] })
    onTestFinished(() => agent.close())
    expect(await agent.ask(ask('x'), snapshot)).toMatchObject({ message: '$(touch hacked); *' })
    expect(existsSync(join(root, 'hacked'))).toBe(false)
  })
})
