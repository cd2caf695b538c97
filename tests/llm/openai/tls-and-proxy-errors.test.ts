import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { askForEdits, modelOf, openAi, testLlm } from '../test-model.js'

/** Where something listens that answers whatever it is sent with these bytes, and closes. */
async function answering(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(bytes))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

it('a server that speaks no TLS ends the run at once, and the remedy is told', async () => {
  const address = await answering('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  const { llm, calls } = testLlm()
  await expect(askForEdits(llm, modelOf(openAi(`https://${address}`)))).rejects.toMatchObject({
    code: 'llm_rejected',
    message: expect.stringContaining('it does not support TLS (ERR_SSL_'),
    hint: 'Use http:// in llm.base_url if it does not support https.',
  })
  expect(calls).toHaveLength(1)
})

it.each([
  ['another protocol', 'SSH-2.0-OpenSSH_9\r\n', /is not valid HTTP \(.*Expected HTTP/],
  [
    'an alert of TLS',
    '\x15\x03\x01\x00\x02\x02\x46',
    /is not valid HTTP .* Check port and scheme of llm\.base_url/,
  ],
  ['a header of 40 kB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, /Headers Overflow/],
])('%s may be an answer that broke, and is charged as one', async (_name, bytes, message) => {
  const { llm, calls } = testLlm()
  const answer = await askForEdits(llm, modelOf(openAi(`http://${await answering(bytes)}`)))
  expect(answer).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(message) })
  expect(calls.map(({ usage }) => usage.outputTokens)).toEqual([1000, 1000, 1000, 1000])
})

it('a proxy that wants a password is told, though fetch hides its status', async () => {
  const address = await answering('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')
  const answer = await askForEdits(testLlm().llm, modelOf(openAi(`http://${address}`)))
  expect(answer).toMatchObject({ message: expect.stringContaining('a proxy that answers HTTP 407') })
})
