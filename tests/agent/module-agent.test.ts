import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Agent } from '../../src/agent/agent.js'
import { type ModuleAgentOptions, moduleAgent, prewarmModule } from '../../src/agent/module-agent.js'
import { AutotestError } from '../../src/errors.js'
import { agentContract, ask, dauFiles, snapshotOf } from '../contracts/agent.contract.js'
import { scratchRoot } from './temporary-root.js'

const secret = 'hunter2-hunter2-hunter2'
const redact = (text: string): string => text.replaceAll(secret, '***')
const defaults = { kbFolder: 'kb', timeoutMs: 10_000, deterministic: true, concurrency: 20, redact }
const snapshot = snapshotOf(dauFiles)

async function agentFrom(source: string, options: Partial<ModuleAgentOptions> = {}): Promise<Agent> {
  const root = scratchRoot({ 'agents/mine.mjs': source })
  const agent = await moduleAgent({ ...defaults, root, path: 'agents/mine.mjs', ...options })
  onTestFinished(() => agent.close())
  return agent
}

async function rejection(source: string | undefined, options: Partial<ModuleAgentOptions> = {}) {
  const root = scratchRoot(source === undefined ? {} : { 'agents/mine.mjs': source })
  const opening = moduleAgent({ ...defaults, root, path: 'agents/mine.mjs', ...options })
  const error = await opening.then(
    () => new Error('it opened'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AutotestError)) throw error
  return error
}

describe('module agent', () => {
  agentContract(() =>
    moduleAgent({ ...defaults, root: resolve('.'), path: 'agents/examples/module-agent.mjs' }),
  )

  it('is named after kind and path', async () => {
    expect((await agentFrom('export default () => 1')).name).toBe('module:agents/mine.mjs')
  })

  it('is taken over once where it was started ahead', async () => {
    const root = scratchRoot({
      'agents/mine.mjs':
        'import { threadId } from "node:worker_threads"\nexport default () => ({ type: "no_answer", message: String(threadId) })',
    })
    const options = { ...defaults, root, path: 'agents/mine.mjs' }
    prewarmModule(options)
    const threads: number[] = []
    for (let opened = 0; opened < 2; opened++) {
      const agent = await moduleAgent(options)
      onTestFinished(() => agent.close())
      const sample = await agent.ask(ask('x'), snapshot)
      if (sample.kind !== 'no_answer') throw new Error(sample.kind)
      threads.push(Number(sample.message))
    }
    expect(threads[1]).toBeGreaterThan(threads[0] ?? Number.NaN)
  })

  it('says what is wrong with a module that was started ahead', async () => {
    const root = scratchRoot({ 'agents/mine.mjs': 'export default 3' })
    const options = { ...defaults, root, path: 'agents/mine.mjs' }
    prewarmModule(options)
    await expect(moduleAgent(options)).rejects.toThrow('its default export is 3, not a function')
  })

  it('shows no secret, whatever the module throws, prints or answers', async () => {
    const text = JSON.stringify(secret)
    for (const body of [
      `throw new Error(${text})`,
      `console.error(${text}); process.exit(1)`,
      `return { text: ${text} }`,
      `return { call() {}, text: ${text} }`,
    ]) {
      const agent = await agentFrom(`export default () => { ${body} }`)
      const sample = await agent.ask(ask('x'), snapshot)
      expect(sample.kind).toBe('error')
      expect(JSON.stringify(sample)).toContain('***')
      expect(JSON.stringify(sample)).not.toContain('hunter2')
    }
  })

  it('keeps no process alive that never opens what it started', async () => {
    const root = scratchRoot({
      'agents/mine.mjs': 'setInterval(() => {}, 1000)\nexport default () => 1',
      'main.mjs': `import { prewarmModule } from ${JSON.stringify(pathToFileURL(resolve('build/modules/agent/module-agent.js')).href)}
prewarmModule({ root: process.argv[2], path: 'agents/mine.mjs', kbFolder: 'kb', timeoutMs: 60000, deterministic: true, concurrency: 1 })
`,
    })
    await promisify(execFile)(process.execPath, [join(root, 'main.mjs'), root], { timeout: 30_000 })
  })

  it('passes on the request as the protocol says', async () => {
    const agent = await agentFrom(
      'export default (request) => ({ type: "no_answer", message: JSON.stringify(request) })',
    )
    const sample = await agent.ask(ask('how many?', 'c1'), snapshot)
    if (sample.kind !== 'no_answer') throw new Error(sample.kind)
    expect(JSON.parse(sample.message)).toEqual({
      id: 'c1',
      question: 'how many?',
      kb: expect.stringMatching(/^\/.*\/kb$/),
      dialect: 'duckdb',
      as_of: '2025-12-31',
    })
    expect(sample.read).toBe('all')
  })

  it('reports what was thrown, with the first lines of the stack', async () => {
    const agent = await agentFrom('export default () => { throw new Error("no idea") }')
    const sample = await agent.ask(ask('x'), snapshot)
    expect(sample).toMatchObject({
      kind: 'error',
      message: 'module:agents/mine.mjs: it threw: no idea',
      detail: expect.stringContaining('mine.mjs:1'),
    })
  })

  it.each([
    ['undefined', 'undefined'],
    ['"SELECT 1"', 'SELECT 1'],
    ['({ type: "sql" })', "type: 'sql'"],
    ['({ type: "sql", sql: " " })', 'sql'],
    ['({ type: "no_answer" })', 'no_answer'],
    ['({ type: "sql", sql: "SELECT 1", read: "all" })', 'read'],
  ])('calls %s no answer and says what was expected', async (value, shown) => {
    const agent = await agentFrom(`export default async () => ${value}`)
    const sample = await agent.ask(ask('x'), snapshot)
    expect(sample).toMatchObject({
      kind: 'error',
      message: expect.stringContaining(shown),
      detail: expect.stringContaining('"type": "sql"'),
    })
  })

  it('cuts a huge wrong answer', async () => {
    const agent = await agentFrom('export default () => "x".repeat(1e6)')
    const sample = await agent.ask(ask('x'), snapshot)
    if (sample.kind !== 'error') throw new Error(sample.kind)
    expect(sample.message.length).toBeLessThan(300)
  })

  it('refuses an answer that is larger than a command may print', async () => {
    const agent = await agentFrom(
      'export default () => ({ type: "sql", sql: "SELECT 1 --" + "x".repeat(5e6) })',
    )
    expect(await agent.ask(ask('x'), snapshot)).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('its answer has 5.0 MB, more than 1 MB'),
    })
  })

  it.each([
    'process.kill(process.pid, "SIGKILL")',
    'process.kill(0)',
    'process.kill(-process.pid)',
    'process.kill(process.ppid, "SIGTERM")',
    'process._kill(process.pid, 9)',
    '(await import("node:process")).kill(process.pid, 9)',
    '(await import("node:process")).default.kill(process.pid, 9)',
  ])('is no way to end the program: %s', async (attack) => {
    const agent = await agentFrom(
      `export default async () => { ${attack}; return { type: 'sql', sql: 'SELECT 1' } }`,
    )
    expect(await agent.ask(ask('x'), snapshot)).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('must not end the process that runs it'),
    })
  })

  it('says so when an answer cannot leave the worker', async () => {
    const agent = await agentFrom('export default () => ({ type: "sql", sql: () => 1 })')
    expect(await agent.ask(ask('x'), snapshot)).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('not plain data'),
    })
  })

  it('blames the call that ends the process, and only that one', async () => {
    const agent = await agentFrom(`export default async ({ question }) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      if (question === 'exit') process.exit(3)
      await new Promise((resolve) => setTimeout(resolve, 50))
      return { type: 'sql', sql: question }
    }`)
    const samples = await Promise.all(['a', 'exit', 'b'].map((text) => agent.ask(ask(text), snapshot)))
    expect(samples).toMatchObject([
      { kind: 'answer', text: 'a' },
      { kind: 'error', message: expect.stringContaining('exit code 3') },
      { kind: 'answer', text: 'b' },
    ])
  })

  it('reports an error that nobody caught', async () => {
    const agent = await agentFrom(
      'export default () => new Promise(() => setTimeout(() => { throw new Error("late") }, 5))',
    )
    expect(await agent.ask(ask('x'), snapshot)).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('uncaught error: late'),
    })
  })

  it('replaces a worker that hangs, and answers the other questions', async () => {
    const agent = await agentFrom(
      `export default ({ question }) => {
        if (question === 'hang') for (;;) {}
        return { type: 'sql', sql: question }
      }`,
      { timeoutMs: 1500 },
    )
    const samples = await Promise.all(['a', 'hang', 'b', 'c'].map((text) => agent.ask(ask(text), snapshot)))
    expect(samples).toMatchObject([
      { kind: 'answer', text: 'a' },
      { kind: 'error', message: expect.stringContaining('no answer within 1.5 s') },
      { kind: 'answer', text: 'b' },
      { kind: 'answer', text: 'c' },
    ])
  })

  it('does not start the deadline of a call that waits its turn', async () => {
    const agent = await agentFrom(
      `export default async () => {
        await new Promise((resolve) => setTimeout(resolve, 400))
        return { type: 'sql', sql: 'SELECT 1' }
      }`,
      { concurrency: 1, timeoutMs: 3000 },
    )
    const samples = await Promise.all(Array.from('abcdefgh', (text) => agent.ask(ask(text), snapshot)))
    expect(new Set(samples.map(({ kind }) => kind))).toEqual(new Set(['answer']))
  })

  it('keeps what the module prints for error messages, and off our own output', async () => {
    const agent = await agentFrom(
      `export default async () => {
        for (let line = 0; line < 5000; line++) console.log('noise', line)
        console.error('the reason')
        await new Promise((resolve) => setTimeout(resolve, 50))
        process.exit(1)
      }`,
    )
    const sample = await agent.ask(ask('x'), snapshot)
    if (sample.kind !== 'error') throw new Error(sample.kind)
    expect(sample.detail).toContain('the reason')
    expect((sample.detail ?? '').length).toBeLessThan(3_000)
  })

  it('gives up a call that is interrupted', async () => {
    const agent = await agentFrom('export default () => new Promise(() => {})')
    const stop = new AbortController()
    const asking = agent.ask(ask('x'), snapshot, stop.signal)
    setTimeout(() => stop.abort(), 20)
    expect(await asking).toMatchObject({ kind: 'error', message: expect.stringContaining('interrupted') })
    expect(await agent.ask(ask('x'), snapshot, stop.signal)).toMatchObject({ kind: 'error' })
  })

  it('gives the place of an interrupted call to the next one', async () => {
    const agent = await agentFrom(
      `export default ({ question }) =>
        question === 'hangs' ? new Promise(() => {}) : { type: 'sql', sql: 'SELECT 1' }`,
      { concurrency: 1 },
    )
    const stop = new AbortController()
    const asked = ['hangs', 'waits'].map((text) => agent.ask(ask(text), snapshot, stop.signal))
    const next = agent.ask(ask('x'), snapshot)
    stop.abort()
    for (const sample of await Promise.all(asked)) expect(sample.kind).toBe('error')
    expect((await next).kind).toBe('answer')
  })

  it('begins the next call while whoever asks is busy', async () => {
    const log = join(scratchRoot({}), 'log')
    const agent = await agentFrom(
      `import { appendFileSync } from 'node:fs'
      export default async ({ question }) => {
        appendFileSync(${JSON.stringify(log)}, question)
        await new Promise((resolve) => setTimeout(resolve, 10))
        return { type: 'sql', sql: 'SELECT 1' }
      }`,
      { concurrency: 1 },
    )
    await agent.ask(ask('warm '), snapshot)
    const asking = Promise.all([agent.ask(ask('a'), snapshot), agent.ask(ask('b'), snapshot)])
    // What is sent is sent by the end of this turn.
    await new Promise((resolve) => setImmediate(resolve))
    const begun = (): string => readFileSync(log, 'utf8')
    const patience = Date.now() + 60_000
    while (begun() !== 'warm ab' && Date.now() < patience);
    expect(begun()).toBe('warm ab')
    await asking
  })

  it('never has more calls under way than it may', async () => {
    const agent = await agentFrom(
      `let under = 0
      export default async () => {
        const now = ++under
        await new Promise((resolve) => setTimeout(resolve, 10))
        under--
        return { type: 'sql', sql: String(now) }
      }`,
      { concurrency: 3 },
    )
    const samples = await Promise.all(Array.from({ length: 20 }, (_, n) => agent.ask(ask(`${n}`), snapshot)))
    const counts = samples.map((sample) => (sample.kind === 'answer' ? Number(sample.text) : Number.NaN))
    expect(Math.max(...counts)).toBe(3)
  })

  it('answers many calls at once, as many as it may', async () => {
    // Nobody is answered before as many are asked.
    const agent = await agentFrom(`let waiting = []
    export default () => new Promise((resolve) => {
      waiting.push(() => resolve({ type: 'sql', sql: 'SELECT 1' }))
      if (waiting.length < ${defaults.concurrency}) return
      for (const answer of waiting) answer()
      waiting = []
    })`)
    const samples = await Promise.all(Array.from({ length: 200 }, (_, n) => agent.ask(ask(`${n}`), snapshot)))
    expect(samples.every(({ kind }) => kind === 'answer')).toBe(true)
  })

  it.each([
    ['does not exist', undefined],
    ['mine.mjs:2 cannot be used: SyntaxError', 'const a = 1\nconst b = ;\n'],
    ['its default export is undefined', 'export const answer = 1'],
    ['its default export is 42', 'export default 42'],
    ['Error: not today', 'throw new Error("not today")'],
    ['exit code 7', 'process.exit(7)'],
  ])('refuses a module at the start: %s', async (message, source) => {
    const error = await rejection(source)
    expect(error.code).toBe('agent_invalid')
    expect(error.message).toContain('agents/mine.mjs')
    expect(error.message).toContain(message)
    expect(error.hint).toContain('export default')
  })

  it('refuses a module that never finishes loading', async () => {
    const error = await rejection('setInterval(() => {}, 1000); await new Promise(() => {})', {
      timeoutMs: 300,
    })
    expect(error.message).toContain('took more than 0.3 s')
  })
})
