import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { drifted, loggingAgent, smallProject, userFiles } from './small-project.js'

afterAll(removeFolders)

/** Only what never answers meets a short deadline: a busy machine takes a second to start a program. */
const withModule = (body: string, timeout = '60s'): string =>
  smallProject({
    ...drifted,
    'autotest.config.yaml': `engine: sqlite:shop.sqlite\nas_of: 2025-12-31\nagent: { kind: module, path: agents/mine.mjs }\nlimits: { agent_timeout: ${timeout} }\n`,
    'agents/mine.mjs': body,
  })

/** Breaks on one case, answers the others as it should. */
const breaksOnOne = (broken: string, timeout: string | undefined): string =>
  withModule(
    loggingAgent(`if (request.id === 'orders_id') { ${broken} }
  return { type: 'no_answer', message: 'I only count orders', read: [] }`),
    timeout,
  )

/** The deadline that a message speaks of. */
const deadlineIn = (message: string): string | undefined =>
  message === 'no answer within 3 s' ? '3s' : undefined

describe('an agent that breaks on one case is an error of that case, never a wrong answer', () => {
  it.each([
    ['throws', "throw new Error('no route\\nto the model')", 'it threw: no route to the model'],
    ['never answers', 'await new Promise(() => {})', 'no answer within 3 s'],
    ['never gives the processor back', 'for (;;) {}', 'no answer within 3 s'],
    ['ends its process', 'process.exit(3)', 'the module ended its process (exit code 3)'],
    ['answers no object', "return 'SELECT 1'", "the answer has the wrong format: 'SELECT 1'"],
    ['answers without SQL', "return { type: 'sql', sql: '' }", 'the answer has the wrong format'],
    ['answers what cannot be sent', "return { type: 'sql', sql: () => 1 }", 'its answer is not plain data'],
    ['floods its output', "for (;;) console.log('x'.repeat(1e6))", 'no answer within 3 s'],
  ])('a module that %s', async (_, broken, message) => {
    const dir = breaksOnOne(broken, deadlineIn(message))
    const before = userFiles(dir)
    const { code, out } = await autotest(dir, ['--no-repair', '-o', 'reports/out.json'])
    expect(out).toContain(`ERROR orders_id: agent: module:agents/mine.mjs: ${message}`)
    expect(out).toContain('FAIL gmv_id: no answer: I only count orders')
    expect(out).toContain('total=3 passed=0 repaired=0 failed=2 unproven=0 errored=1')
    expect(code).toBe(3)
    const { 'asked.log': _log, ...after } = userFiles(dir)
    expect(after).toEqual(before)
  })

  it.each([
    ['exits with a code', 'sh agents/mine.mjs', 'it exited with code 3: no key'],
    ['floods its output', 'yes', 'more than 1 MB on standard output'],
    ['answers garbage', 'echo hello', 'standard output is not one JSON value: hello'],
    ['says nothing', 'true', 'standard output is not one JSON value: (nothing)'],
    ['hangs', 'sleep 600', 'no answer within 3 s'],
    ['does not exist', 'no-such-program', 'program no-such-program was not found'],
  ])('a program that %s', async (_, command, message) => {
    const dir = withModule('echo no key >&2; exit 3\n', deadlineIn(message))
    const { code, out } = await autotest(dir, ['--no-repair', '--agent', `command:${command}`])
    expect(out.match(/^ERROR .*$/gm)).toEqual([
      expect.stringContaining(message),
      'ERROR 2 more cases had the same error: gmv_th, orders_id',
    ])
    expect(out).toContain('errored=3')
    expect(code).toBe(3)
  })
})

describe('a module that cannot be loaded ends the run before anything is asked', () => {
  it.each([
    ['has a syntax error', 'export default (\n', 'agent agents/mine.mjs:2 cannot be used: SyntaxError'],
    ['exports no function', 'export default 5\n', 'its default export is 5, not a function'],
    ['throws while loading', "throw new Error('no key')\n", 'no key'],
  ])('that %s', async (_, text, message) => {
    const { code, out, err } = await autotest(withModule(text), [])
    expect(err).toContain(message)
    expect(err).toContain('export default (request) =>')
    expect([code, out]).toEqual([2, ''])
  })
})

describe("an agent's bad SQL is a wrong answer, told with the database's words", () => {
  it.each([
    ['that is no SQL', 'SELEC 1', 'cannot be parsed'],
    ['of a table that is missing', 'SELECT * FROM nowhere', 'no such table: nowhere'],
    ['that writes', 'DELETE FROM orders', 'rejected'],
  ])('%s', async (_, sql, message) => {
    const dir = withModule(loggingAgent(`return { type: 'sql', sql: ${JSON.stringify(sql)} }`))
    const before = userFiles(dir)
    const { code, out } = await autotest(dir, ['--no-repair', '--id', 'orders_id'])
    expect(out).toMatch(/^FAIL orders_id: /m)
    expect(out).toContain(message)
    expect(code).toBe(1)
    expect(userFiles(dir)['shop.sqlite']).toBe(before['shop.sqlite'])
  })
})

describe('a service that refuses the token', () => {
  it('ends the run at its first answer, with exit 2, and the run can go on', async () => {
    let calls = 0
    let refuses = true
    const server = createServer((request, response) => {
      calls++
      request.resume()
      if (refuses) response.writeHead(401).end('no')
      else response.end('{"type":"no_answer","message":"I only count orders"}')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`
    const dir = smallProject({
      'autotest.config.yaml': `engine: sqlite:shop.sqlite\nas_of: 2025-12-31\nagent: { kind: http, url: "${url}", token_env: MY_TOKEN }\n`,
    })
    const env = { MY_TOKEN: 'tok-4711-secret' }
    const run = await autotest(dir, ['--no-repair', '--concurrency', '1'], env)
    expect(run.err).toContain(`agent http:${url} rejects the token of MY_TOKEN`)
    expect(run.out).toMatch(/total=3 .*errored=0 skipped=3 .*exit=2/)
    expect([run.code, calls]).toEqual([2, 1])
    expect(run.err).toMatch(/continue with: autotest --resume r-\w+/)
    refuses = false
    const rest = await autotest(dir, ['--resume'], env)
    expect(rest.out).toMatch(/total=3 passed=0 .*failed=3/)
  })
})
