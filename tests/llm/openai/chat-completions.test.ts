import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ChatServerOptions, type Policy, sendJson, startChatServer } from '../chat-server.js'
import { askForEdits, key, modelOf, openAi, testLlm } from '../test-model.js'

async function serve(policy: Policy, options: ChatServerOptions = {}) {
  const server = await startChatServer(policy, options)
  onTestFinished(() => server.close())
  return server
}

describe('the key', () => {
  it('is not sent where none is configured, and goes nowhere by a redirect', async () => {
    const seen: (string | undefined)[] = []
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization)
      sendJson(response, 200, {})
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const server = await serve(() => ({ status: 307, headers: { location: `http://127.0.0.1:${port}/` } }))
    await askForEdits(testLlm().llm, modelOf(openAi(server.baseUrl))).catch(() => undefined)
    expect(seen).toEqual([])
    const direct = modelOf(openAi(`http://127.0.0.1:${port}/v1`, null))
    await askForEdits(testLlm().llm, direct).catch(() => undefined)
    expect(seen).toEqual([undefined])
  })
})

it('says how long a request is: some servers take none in chunks', async () => {
  let headers: IncomingHttpHeaders = {}
  const server = createServer((request, response) => {
    headers = request.headers
    request.resume().on('end', () => sendJson(response, 200, {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  await askForEdits(testLlm().llm, modelOf(openAi(url)), 'repair it: é').catch(() => undefined)
  expect(Number(headers['content-length'])).toBeGreaterThan(100)
  expect(headers['transfer-encoding']).toBeUndefined()
})

it('sends nothing that the SDK finds in the environment: it may be the key of another endpoint', async () => {
  const environment = {
    OPENAI_CUSTOM_HEADERS: 'Authorization: Bearer sk-of-another\nX-Api-Key: sk-of-another',
    OPENAI_ORG_ID: 'org-of-another',
    OPENAI_PROJECT_ID: 'project-of-another',
    OPENAI_API_KEY: 'sk-of-another',
    OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const seen: string[] = []
  const other = createServer((request, response) => {
    seen.push(JSON.stringify(request.headers))
    sendJson(response, 200, {})
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1`
  for (const provider of [openAi(url), openAi(url, null)])
    await askForEdits(testLlm().llm, modelOf(provider)).catch(() => undefined)
  expect(seen).toHaveLength(2)
  expect(seen.join()).not.toContain('of-another')
  expect(seen.map((headers) => headers.includes(key))).toEqual([true, false])
})

it('a model that does not exist is answered with those that do', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `model-${n}`)
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/v1/models')
      sendJson(response, 200, { object: 'list', data: names.map((id) => ({ id, object: 'model' })) })
    else sendJson(response, 404, { error: { message: 'The model `tiny` does not exist' } })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const { llm, calls } = testLlm()
  await expect(askForEdits(llm, modelOf(openAi(url)))).rejects.toMatchObject({
    code: 'llm_rejected',
    hint: expect.stringContaining(
      'It has model-0, model-1, model-2, model-3, model-4, model-5, model-6, model-7 and 2 more.',
    ),
  })
  expect(calls).toHaveLength(1)
})
