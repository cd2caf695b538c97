import { cpSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startChatServer } from '../../llm/chat-server.js'
import { addsMissingFilter, byRole, sqlFromSnippets } from '../../llm/policies.js'
import { autotest, removeFolders } from '../sample.js'
import {
  drifted,
  driftedSnippet,
  goodSnippet,
  read,
  snippetPath,
  userFiles,
  write,
} from '../small-project.js'
import { keyed, llmProject, modelKey } from './project.js'
import { withoutTimes } from './without-times.js'

afterAll(removeFolders)

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** As long as the longest that providers give away. */
const key = `sk-proj-${Array.from({ length: 156 }, (_, at) => letters[(at * 7) % 36]).join('')}`

/** Says what it was sent, as servers do that refuse a key. */
async function echo(status: number, body: (authorization: string) => string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body(request.headers.authorization?.slice('Bearer '.length) ?? ''))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** A project whose key is in a variable with a name of its own. */
function projectAt(url: string): string {
  const dir = llmProject(url)
  const config = 'autotest.config.yaml'
  write(dir, config, read(dir, config).replace('TEST_MODEL_KEY', 'MODEL_AUTH'))
  return dir
}

function everythingIn(dir: string): string {
  const files = Object.values(userFiles(dir)).map((bytes) => Buffer.from(bytes, 'base64').toString('latin1'))
  return [...files, read(dir, 'reports/autotest.db')].join('\n')
}

describe('a key that the endpoint repeats is shown and kept nowhere, not even a part of it', () => {
  it.each([
    [401, (said: string) => JSON.stringify({ error: { message: `Incorrect API key provided: ${said}` } })],
    [400, (said: string) => JSON.stringify({ error: { message: `${'x'.repeat(120)} ${said}` } })],
    [200, (said: string) => `<html>${said}`],
    [401, (said: string) => `key ${said.slice(0, 14)}…${said.slice(-12)}`],
    [403, (said: string) => `key ${Buffer.from(said).toString('base64')} of sk-proj-…`],
    [200, (said: string) => JSON.stringify({ choices: [], said })],
  ])('HTTP %i', async (status, body) => {
    const dir = projectAt(await echo(status, body))
    const args = ['--no-repair', '--record', 'tape', '-o', 'a.json', '-o', 'a.md']
    const run = await autotest(dir, args, { MODEL_AUTH: key })
    expect(run.err + run.out).toContain('***')
    const all = [run.out, run.err, everythingIn(dir)].join('\n')
    expect(all).not.toContain('sk-proj-')
    expect(all).not.toContain(key.slice(-12))
    expect(all).not.toContain(Buffer.from(key).toString('base64').slice(0, 12))
  })
})

it('a key that cannot be sent is refused before the first call, and not shown', async () => {
  const dir = projectAt('http://127.0.0.1:1/v1')
  const run = await autotest(dir, ['--no-repair'], { MODEL_AUTH: 'abc\ndef-secret-key' })
  expect(run.err).toContain('the key in MODEL_AUTH contains a line break')
  expect(run.out + run.err).not.toContain('secret-key')
  expect(run.code).toBe(2)
})

describe('a password that is a word of the knowledge', () => {
  it('hides the name of a file that is repaired all the same, replayed without it and undone', async () => {
    const server = await startChatServer(byRole({ sql: sqlFromSnippets, repairer: addsMissingFilter }), {
      key: modelKey,
    })
    onTestFinished(() => server.close())
    const [snippet, metric] = ['kb/snippets/total_merchandise.sql', 'kb/metrics/total_merchandise.yaml']
    const parameters = `parameters:
  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], VN: [Vietnam] } }
  period: { type: date_range }
`
    const files = {
      'kb/metrics/gmv.yaml': null,
      'kb/snippets/gmv.sql': null,
      [snippet]: driftedSnippet,
      [metric]: `metric: total\naliases: [GMV]\nsnippet: total_merchandise.sql\n${parameters}`,
    }
    const [dir, other] = [llmProject(server.baseUrl, files), llmProject(server.baseUrl, files)]
    const args = ['--repairer', 'llm', '--agent', 'template', '--no-commit', '-o', 'a.json']
    const run = await autotest(dir, [...args, '--record', 'tape'], { ...keyed, DB_PASSWORD: 'merchandise' })
    expect(run.out).toMatch(/REPAIRED metric total \(2 cases, E2\): kb\/snippets\/total_\*\*\*\.sql -0 \+1/)
    expect(server.asked.map(({ prompt }) => prompt).join()).not.toContain('merchandise')
    expect(read(dir, snippet)).toBe(goodSnippet)
    cpSync(join(dir, 'tape'), join(other, 'tape'), { recursive: true })
    const replayed = await autotest(other, [...args, '--replay', 'tape'])
    expect([replayed.code, replayed.err]).toEqual([0, ''])
    expect(read(other, snippet)).toBe(goodSnippet)
    const id = JSON.parse(read(dir, 'a.json')).run.id
    expect(await autotest(dir, ['revert', id], { DB_PASSWORD: 'merchandise' })).toMatchObject({ code: 0 })
    expect(read(dir, snippet)).toBe(driftedSnippet)
  })

  it('hides the name of a file that a saved plan repairs', async () => {
    const server = await startChatServer(byRole({ sql: sqlFromSnippets, repairer: addsMissingFilter }), {
      key: modelKey,
    })
    onTestFinished(() => server.close())
    const password = { ...keyed, DB_PASSWORD: 'snippets' }
    const dir = llmProject(server.baseUrl, drifted)
    const dry = await autotest(
      dir,
      ['--repairer', 'llm', '--agent', 'template', '--dry-run', '-o', 'a.json'],
      password,
    )
    expect(dry.code).toBe(1)
    const id = JSON.parse(read(dir, 'a.json')).run.id
    const applied = await autotest(dir, ['apply', id], password)
    expect(applied.err).toBe('')
    expect(read(dir, snippetPath)).toBe(goodSnippet)
  })

  it('is named at the start of the run, which goes on, and a replay does not need it', async () => {
    const server = await startChatServer(sqlFromSnippets, { key: modelKey })
    onTestFinished(() => server.close())
    const dir = llmProject(server.baseUrl)
    const args = ['--no-repair', '--record', 'tape', '-o', 'a.json']
    const live = await autotest(dir, args, { ...keyed, DB_PASSWORD: 'merchandise' })
    expect(live.err).toContain(
      'the value of DB_PASSWORD occurs in kb/metrics/gmv.yaml and is replaced by *** in prompts',
    )
    expect(live.code).toBe(0)
    const replayed = await autotest(dir, ['--no-repair', '--replay', 'tape', '-o', 'b.json'])
    expect(replayed.err).toBe('')
    const report = (file: string): unknown => withoutTimes(JSON.parse(read(dir, file)))
    expect(report('b.json')).toEqual(report('a.json'))
  })
})
