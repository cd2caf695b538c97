import { chmodSync, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { removeFolders } from '../../e2e/sample.js'
import { loggingAgent, smallProject } from '../../e2e/small-project.js'
import { finding } from './find-check.js'

afterEach(() => vi.unstubAllEnvs())
afterAll(removeFolders)

const withAgent = (agent: string, files: Readonly<Record<string, string>> = {}): string =>
  smallProject({ 'autotest.config.yaml': `engine: sqlite:shop.sqlite\nagent: ${agent}\n`, ...files })

it('the template needs nothing', async () => {
  expect(await finding('agent', smallProject())).toMatchObject({
    status: 'ok',
    detail: 'template: no setup needed',
  })
})

describe('a module', () => {
  it('is loaded and asked nothing', async () => {
    const dir = withAgent('{ kind: module, path: agents/mine.mjs }', {
      'agents/mine.mjs': loggingAgent('return { type: "sql", sql: "SELECT 1" }'),
    })
    expect(await finding('agent', dir)).toMatchObject({ status: 'ok', detail: 'module agents/mine.mjs' })
    expect(existsSync(join(dir, 'asked.log'))).toBe(false)
  })

  it.each([
    ['export default 1\n', 'agent agents/mine.mjs cannot be used: '],
    ['export default (\n', 'agent agents/mine.mjs:'],
    ['import "none-such"\nexport default () => 1\n', 'none-such'],
  ])('that cannot be used: %j', async (text, detail) => {
    const dir = withAgent('{ kind: module, path: agents/mine.mjs }', { 'agents/mine.mjs': text })
    expect(await finding('agent', dir)).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining(detail),
      fix: expect.stringContaining('export default'),
    })
  })

  it('that is missing', async () => {
    expect(await finding('agent', withAgent('{ kind: module, path: none.mjs }'))).toMatchObject({
      status: 'problem',
      detail: 'agent none.mjs does not exist',
    })
  })
})

describe('a program', () => {
  const script = { 'agents/mine.sh': '#!/bin/sh\necho "{}"\n' }

  it('is found on PATH, or from the folder of the project', async () => {
    const onPath = withAgent('{ kind: command, run: [sh, agents/mine.sh] }', script)
    expect(await finding('agent', onPath)).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^command \/.*\/sh$/),
    })
    const own = withAgent('{ kind: command, run: ./agents/mine.sh }', script)
    chmodSync(join(own, 'agents/mine.sh'), 0o755)
    expect(await finding('agent', join(own, 'kb'))).toMatchObject({
      status: 'ok',
      detail: `command ${own}/agents/mine.sh`,
    })
  })

  it('that is not there', async () => {
    expect(await finding('agent', withAgent('{ kind: command, run: none-such }'))).toMatchObject({
      status: 'problem',
      detail: 'the program none-such was not found on PATH',
      fix: expect.stringContaining('agent.run'),
    })
    expect(await finding('agent', withAgent('{ kind: command, run: ./none }'))).toMatchObject({
      status: 'problem',
      detail: 'the program ./none was not found',
    })
  })

  it('that may not be executed', async () => {
    const dir = withAgent('{ kind: command, run: ./agents/mine.sh }', script)
    chmodSync(join(dir, 'agents/mine.sh'), 0o644)
    expect(await finding('agent', dir)).toMatchObject({
      status: 'problem',
      detail: `the program ${dir}/agents/mine.sh is not executable`,
      fix: `chmod +x ${dir}/agents/mine.sh`,
    })
  })

  it('whose script is not there', async () => {
    expect(await finding('agent', withAgent('{ kind: command, run: [sh, agents/none.sh] }'))).toMatchObject({
      status: 'problem',
      detail: expect.stringMatching(/^agents\/none\.sh, an argument of \S+\/sh, does not exist$/),
    })
  })
})

describe('a service', () => {
  async function serve(
    status: number,
  ): Promise<{ url: string; asked: string[]; close: () => Promise<void> }> {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.headers.authorization ?? 'no token'}`)
      response.writeHead(status).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`
    return { url, asked, close: () => new Promise((resolve) => server.close(() => resolve())) }
  }

  it('that answers is there, whatever it says; no question and no token is sent', async () => {
    vi.stubEnv('AGENT_TOKEN', 'tok-4711-secret')
    for (const [status, kind] of [
      [200, 'ok'],
      [405, 'ok'],
      [401, 'ok'],
      [500, 'note'],
    ] as const) {
      const { url, asked, close } = await serve(status)
      const dir = withAgent(`{ kind: http, url: "${url}", token_env: AGENT_TOKEN }`)
      const row = await finding('agent', dir)
      expect(row).toMatchObject({ status: kind, detail: expect.stringContaining(`HTTP ${status}`) })
      expect(asked).toEqual(['HEAD no token'])
      await close()
      expect(await finding('agent', dir)).toMatchObject({
        status: 'problem',
        detail: expect.stringMatching(/does not answer: .*ECONNREFUSED/),
        fix: expect.stringContaining('agent.url'),
      })
    }
  })

  it('whose token is not set', async () => {
    const dir = withAgent('{ kind: http, url: "http://127.0.0.1:9/ask", token_env: NO_SUCH_TOKEN }')
    expect(await finding('agent', dir)).toMatchObject({
      status: 'problem',
      detail: 'NO_SUCH_TOKEN is not set: agent http:http://127.0.0.1:9/ask requires a token',
      fix: expect.stringContaining('NO_SUCH_TOKEN'),
    })
  })
})

it('--agent is looked at instead of the configured one', async () => {
  const agent = { kind: 'module', path: 'none.mjs', deterministic: false } as const
  expect(await finding('agent', smallProject(), { overrides: { agent } })).toMatchObject({
    status: 'problem',
    detail: 'agent none.mjs does not exist',
  })
})
