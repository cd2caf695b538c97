import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { llmProject, modelKey } from '../../e2e/llm/project.js'
import { removeFolders } from '../../e2e/sample.js'
import { append, read, smallProject, write } from '../../e2e/small-project.js'
import {
  type ChatServer,
  type ChatServerOptions,
  type Policy,
  startChatServer,
} from '../../llm/chat-server.js'
import { finding } from './find-check.js'

let server: ChatServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})
afterAll(removeFolders)

const env = { ...process.env, TEST_MODEL_KEY: modelKey }
const agrees: Policy = () => ({ answer: { ok: true } })

async function serve(policy: Policy = agrees, options: ChatServerOptions = {}): Promise<ChatServer> {
  server = await startChatServer(policy, { key: modelKey, ...options })
  return server
}

const called = (dir: string, name = 'model sql', more = {}) =>
  finding(name, dir, { env, call: true, ...more })

it('where nothing speaks to a model, none has a line', async () => {
  const dir = smallProject()
  for (const name of ['definitions', 'model sql', 'model judge', 'model repairer', 'model debugger'])
    expect([name, await finding(name, dir, { call: true })]).toEqual([name, undefined])
})

it('without --call address and key are named, and nothing is asked', async () => {
  const { baseUrl, asked } = await serve()
  const dir = llmProject(baseUrl)
  expect(await finding('model sql', dir, { env })).toMatchObject({
    status: 'ok',
    detail: `tiny at ${baseUrl}, key in TEST_MODEL_KEY; not called (--call calls it once)`,
  })
  expect(await finding('definitions', dir, { env })).toMatchObject({
    status: 'ok',
    detail: 'agents/: sql.yaml, repairer.yaml',
  })
  expect(asked).toEqual([])
})

it('a key that is not set is a problem of the agent, and a note of what can do without', async () => {
  const { baseUrl } = await serve()
  const dir = llmProject(baseUrl)
  const given = { env: { PATH: process.env['PATH'] } }
  expect(await finding('model sql', dir, given)).toMatchObject({
    status: 'problem',
    detail: `TEST_MODEL_KEY is not set: tiny at ${baseUrl} requires a key`,
    fix: expect.stringContaining('Set TEST_MODEL_KEY'),
  })
  expect(await finding('model repairer', dir, given)).toMatchObject({
    status: 'note',
    detail: expect.stringContaining('TEST_MODEL_KEY is not set'),
  })
  expect(await finding('definitions', dir, given)).toMatchObject({ detail: 'agents/: sql.yaml' })
  append(dir, 'autotest.config.yaml', 'repair: { repairer: [llm] }\n')
  expect(await finding('model repairer', dir, given)).toMatchObject({ status: 'problem' })
})

describe('--call', () => {
  it('asks once, shortly, and tells latency, model and tokens', async () => {
    const { baseUrl, asked } = await serve()
    expect(await called(llmProject(baseUrl))).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^tiny at http:\S+ answers in 0\.\d s, \d+ tokens$/),
    })
    expect(asked).toHaveLength(1)
    expect(asked[0]?.max_tokens).toBeLessThanOrEqual(256)
  })

  it('asks in another form where tools are refused, as a run does', async () => {
    const { baseUrl, asked } = await serve(agrees, { refuses: ['tools'] })
    expect(await called(llmProject(baseUrl))).toMatchObject({ status: 'ok' })
    expect(asked.length).toBeGreaterThan(0)
  })

  it.each([
    [{ status: 404, error: { message: 'no model tiny' } }, 'HTTP 404: no model tiny', 'llm.base_url'],
    [{ status: 429, error: { message: 'slow down' } }, 'HTTP 429: slow down', 'limits.concurrency'],
    [{ status: 500, error: { message: 'oops' } }, 'HTTP 500: oops', 'Check that the endpoint is up'],
  ])('names an error as a run does: %j', async (said, detail, fix) => {
    const { baseUrl } = await serve(() => said)
    expect(await called(llmProject(baseUrl))).toMatchObject({
      status: 'problem',
      detail: `tiny at ${baseUrl}: ${detail}`,
      fix: expect.stringContaining(fix),
    })
  })

  it('shows no key that is refused, also where the server repeats it', async () => {
    const { baseUrl } = await serve(agrees, { key: 'another' })
    const row = await called(llmProject(baseUrl))
    expect(row).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('HTTP 401'),
      fix: 'Check the key in TEST_MODEL_KEY.',
    })
    expect(JSON.stringify(row)).not.toContain(modelKey)
  })

  it('says where nobody listens', async () => {
    const { baseUrl, close } = await serve()
    await close()
    server = undefined
    expect(await called(llmProject(baseUrl))).toMatchObject({
      status: 'problem',
      detail: `tiny at ${baseUrl}: no connection (ECONNREFUSED)`,
      fix: expect.stringContaining('endpoint is up'),
    })
  })

  it('takes a model that answers otherwise, or is not loaded yet, for a note', async () => {
    const { baseUrl } = await serve(() => ({ text: null }))
    expect(await called(llmProject(baseUrl))).toMatchObject({
      status: 'note',
      detail: expect.stringMatching(/^tiny at \S+ answers in 0\.\d s, but in the wrong format: /),
    })
    await server?.close()
    const loading = await serve(() => ({ status: 503, error: { message: 'Loading model' } }))
    expect(await called(llmProject(loading.baseUrl))).toMatchObject({
      status: 'note',
      detail: expect.stringContaining('not loaded yet'),
    })
  })

  it('asks each role that has a model', async () => {
    const { baseUrl, asked } = await serve()
    const dir = llmProject(baseUrl)
    const config = read(dir, 'autotest.config.yaml')
    write(
      dir,
      'autotest.config.yaml',
      config.replace('roles: {', 'roles: { judge: { model: wise }, repairer: { model: able },'),
    )
    expect(await called(dir, 'model judge')).toMatchObject({ detail: expect.stringContaining('wise at ') })
    expect(await called(dir, 'model repairer')).toMatchObject({ detail: expect.stringContaining('able at ') })
    expect(asked.map(({ model }) => model)).toEqual(['wise', 'able'])
    expect(await called(dir, 'model debugger')).toBeUndefined()
  })
})

it('a definition that is missing or wrong has its line', async () => {
  const { baseUrl } = await serve()
  const dir = llmProject(baseUrl)
  append(dir, 'agents/sql.yaml', 'colour: red\n')
  expect(await finding('definitions', dir, { env })).toMatchObject({
    status: 'problem',
    detail: expect.stringMatching(/^agents\/sql\.yaml:\d+:1 {2}unknown key `colour`/),
  })
  rmSync(join(dir, 'agents/sql.yaml'))
  expect(await finding('definitions', dir, { env })).toMatchObject({
    status: 'problem',
    detail: 'agents/sql.yaml: no such definition',
    fix: expect.stringMatching(/^Copy .*agents\/sql\.yaml to agents\//),
  })
})

it('a scripted model is asked nothing', async () => {
  const dir = smallProject({
    'autotest.config.yaml':
      'agent: { kind: llm }\nllm: { roles: { sql: { model: "scripted:replies.yaml" } } }\n',
    'replies.yaml': 'replies: [{ text: no }]\n',
  })
  expect(await called(dir)).toMatchObject({
    status: 'ok',
    detail: 'scripted:replies.yaml: answers from that file',
  })
})
