import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { type Policy, type Said, startChatServer } from '../../llm/chat-server.js'
import { shownFiles, sqlFromSnippets } from '../../llm/policies.js'
import { needsTerminal } from '../../needs.js'
import { autotest, autotestProcess, inTerminal, removeFolders } from '../sample.js'
import { write } from '../small-project.js'
import { selfSigned } from './certificate.js'
import { keyed, llmProject, modelKey } from './project.js'

afterAll(removeFolders)

async function serve(policy: Policy): Promise<string> {
  const server = await startChatServer(policy, { key: modelKey })
  onTestFinished(() => server.close())
  return server.baseUrl
}

it('a certificate that nobody vouches for ends the run, and is trusted once it is named', async () => {
  const server = createServer(selfSigned, (_request, response) => void response.writeHead(404).end())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const dir = llmProject(`https://127.0.0.1:${port}/v1`)
  const refused = await autotest(dir, ['--no-repair'], keyed)
  expect(refused.err).toContain(`tiny at https://127.0.0.1:${port}/v1: its certificate is not trusted`)
  expect(refused.err.replaceAll(/\s+/g, ' ')).toContain(
    'Set NODE_EXTRA_CA_CERTS to the certificate of the authority that signed it.',
  )
  expect(refused.code).toBe(2)
  write(dir, 'own.pem', selfSigned.cert)
  // Node reads it when it starts.
  const trusted = await autotestProcess(dir, ['--no-repair'], {
    ...keyed,
    NODE_EXTRA_CA_CERTS: join(dir, 'own.pem'),
  })
  expect(trusted.err).toContain('HTTP 404')
})

it('a prompt that is too long is asked again with fewer entries, and says so', async () => {
  const most = 1
  const tooLong: Said = { status: 400, error: { code: 'context_length_exceeded', message: 'too long' } }
  const url = await serve((asked) =>
    shownFiles(asked.prompt).size > most ? tooLong : sqlFromSnippets(asked),
  )
  const { code, out, err } = await autotest(llmProject(url), ['--no-repair'], keyed)
  expect(err).toMatch(/gmv_id: the prompt is too long for the model; asking with \d entr/)
  expect(out).toMatch(/total=3 .*errored=0/)
  expect(code).toBeLessThan(2)
})

it.each([
  ['what a server asks to wait for', 429, 'no', /429: no/],
  ['the wait for a model', 503, 'Loading model', /the model is not loaded yet \(HTTP 503/],
])('%s is counted down', needsTerminal, async (_name, status, message, why) => {
  const wait: Said = { status, error: { message }, headers: { 'retry-after': '2' } }
  const url = await serve((asked) => (asked.count === 1 ? wait : sqlFromSnippets(asked)))
  const run = inTerminal(llmProject(url), ['--no-repair'], 100, keyed)
  const { code, out } = await run.ended
  expect(out).toMatch(new RegExp(`waiting 2 s: .*${why.source}[^]*waiting 1 s: .*${why.source}`))
  expect(code).toBe(0)
})

it('a log says once a minute what is waited for', async () => {
  const wait: Said = { status: 429, error: { message: 'slow down' }, headers: { 'retry-after': '2' } }
  const url = await serve((asked) => (asked.count <= 2 ? wait : sqlFromSnippets(asked)))
  const { code, err } = await autotest(llmProject(url), ['--no-repair'], keyed)
  expect(err.match(/^note {2}waiting .*$/gm)).toEqual([
    expect.stringMatching(/^note {2}waiting 2 s: .*slow down/),
  ])
  expect(code).toBe(0)
})
