import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, fetch, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { httpAgent } from '../../src/agent/http-agent.js'
import { httpKind } from '../../src/engine/http/http.js'
import { fetchWithoutTimeout } from '../../src/platform/fetch-without-timeout.js'
import { ask, dauFiles, snapshotOf } from '../contracts/agent.contract.js'
import { askForEdits, modelOf, openAi, testLlm } from '../llm/test-model.js'

/** Requests without a dispatcher of their own give up after 0.3 s of silence (which is noticed within a second), not 300 s. */
function impatientByDefault(): void {
  const usual = getGlobalDispatcher()
  setGlobalDispatcher(new Agent({ headersTimeout: 300, bodyTimeout: 300 }))
  onTestFinished(() => setGlobalDispatcher(usual))
}

/** As a model that is asked for edits, an agent and a query service would. */
function answerTo(url: string): unknown {
  if (url.endsWith('/ask')) return { type: 'sql', sql: 'SELECT 1', entries: [] }
  if (url.endsWith('/query')) return { columns: ['1'], rows: [[1]] }
  const content = JSON.stringify({ diagnosis: 'none', reasoning: 'none', edits: [] })
  return { choices: [{ finish_reason: 'stop', message: { content } }] }
}

const silenceMs = 1500

async function serveAfterSilence(late: 'headers' | 'body'): Promise<string> {
  const begin = (response: ServerResponse): void => void response.writeHead(200).write(' ')
  const server = createServer((request, response) => {
    request.resume()
    if (late === 'body') begin(response)
    setTimeout(() => {
      if (late === 'headers') begin(response)
      response.end(JSON.stringify(answerTo(request.url ?? '')))
    }, silenceMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each(['headers', 'body'] as const)(
  'a silence before the %s that Node gives up in is waited out by model, agent and engine',
  async (late) => {
    impatientByDefault()
    const url = await serveAfterSilence(late)
    const agent = httpAgent({
      url: `${url}/ask`,
      kbFolder: 'kb',
      timeoutMs: 20_000,
      deterministic: true,
      token: undefined,
      tokenEnv: undefined,
      redact: (text) => text,
    })
    onTestFinished(() => agent.close())
    const [plain, answer, sample, engine] = await Promise.all([
      fetch(url)
        .then((response) => response.text())
        .catch((error: unknown) => error),
      askForEdits(testLlm().llm, modelOf(openAi(`${url}/v1`), { timeoutMs: 20_000 })),
      agent.ask(ask('TH DAU in 2025'), snapshotOf(dauFiles)),
      httpKind.open(`${url}/query`, { root: '.', concurrency: 1, memoryBytes: 1e9, dialect: 'sqlite' }),
    ])
    expect(plain).toMatchObject({ cause: { code: `UND_ERR_${late.toUpperCase()}_TIMEOUT` } })
    expect([answer.kind, sample.kind, engine.dialect]).toEqual(['answer', 'answer', 'sqlite'])
    await engine.close()
  },
)

it('a signal ends it', async () => {
  const url = await serveAfterSilence('headers')
  const asking = fetchWithoutTimeout(url, { signal: AbortSignal.timeout(50) })
  await expect(asking).rejects.toMatchObject({ name: 'TimeoutError' })
})
