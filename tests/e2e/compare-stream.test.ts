import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { type Running, removeFolders, scratchFolder, start } from './sample.js'

afterAll(removeFolders)

const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'
const short = { expected: 'SELECT 1', generated: 'SELECT 1' }

/** A folder with a database `t.db`. */
function withDatabase(): string {
  const dir = scratchFolder()
  const database = new Database(join(dir, 't.db'))
  database.exec('CREATE TABLE t (id INTEGER)')
  database.close()
  return dir
}

const onDatabase = ['compare', '--engine', 'sqlite:t.db']
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends the signal, and tells how the program ended and after how long. */
async function interrupted(program: Running, signal: NodeJS.Signals) {
  const sent = performance.now()
  program.kill(signal)
  const ended = await program.ended
  return { ...ended, ms: performance.now() - sent }
}

/** What a busy machine makes of a second; without the interrupt it is the 30 s of a query's deadline. */
const soonMs = 8000

describe.each(['SIGINT', 'SIGTERM'] as const)('one %s to autotest compare', (signal) => {
  it('ends a query under way: exit 130, and no verdict', async () => {
    const program = start(withDatabase(), [...onDatabase, '--expected', endless, '--generated', 'SELECT 2'])
    await pause(1500)
    const { code, out, err, ms } = await interrupted(program, signal)
    expect([code, out, err]).toEqual([130, '', expect.stringContaining('interrupted')])
    expect(ms).toBeLessThan(soonMs)
  })

  it('ends --jsonl within a query: exit 130, and whole lines of those before', async () => {
    const program = start(withDatabase(), [...onDatabase, '--jsonl'])
    const lines = [short, short, { id: 'slow', expected: endless, generated: 'SELECT 2' }, short]
    program.send(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await program.says('}\n')
    await pause(500)
    const { code, out, ms } = await interrupted(program, signal)
    expect(code).toBe(130)
    expect(out.split('\n')).toHaveLength(3)
    expect(out).toMatch(/^(?:\{.*"verdict":"pass"\}\n){2}$/)
    expect(ms).toBeLessThan(soonMs)
  })
})

describe('autotest compare', () => {
  it.each([
    ['evidence', 'unproven'],
    ['results', 'pass'],
  ])('--jsonl follows scoring.policy: %s', async (policy, verdict) => {
    const dir = withDatabase()
    writeFileSync(join(dir, 'autotest.config.yaml'), `scoring: { policy: ${policy} }\n`)
    const program = start(dir, [...onDatabase, '--fuzz', '0', '--jsonl'])
    program.send(`${JSON.stringify({ expected: 'SELECT 1', generated: 'SELECT count(*) + 1 FROM t' })}\n`)
    program.end()
    const { out } = await program.ended
    expect(JSON.parse(out)).toMatchObject({ verdict })
  })

  it('is interrupted also where a query service does not answer', async () => {
    let heard = (): void => undefined
    const asked = new Promise<void>((resolve) => {
      heard = resolve
    })
    const server = createServer(() => heard())
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/query`
    const args = ['compare', '--engine', address, '--dialect', 'trino']
    const program = start(scratchFolder(), [...args, '--expected', 'select 1', '--generated', 'select 1'])
    await asked
    const { code, ms } = await interrupted(program, 'SIGINT')
    expect(code).toBe(130)
    expect(ms).toBeLessThan(soonMs)
  })

  it('reads thousands of pages of a query service without a warning', async () => {
    let page = 0
    const server = createServer((_request, response) => {
      page++
      response.end(
        `{"columns":["a"],"rows":[[${page}]],"next":${page % 1700 > 1 ? `"?page=${page}"` : 'null'}}`,
      )
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/query`
    const args = ['compare', '--engine', address, '--dialect', 'sqlite']
    const sql = 'SELECT a FROM t'
    const program = start(scratchFolder(), [...args, '--expected', sql, '--generated', sql])
    expect(await program.ended).toMatchObject({ err: '', out: expect.stringMatching(/results +match/) })
    expect(page).toBeGreaterThan(1600)
  })

  it('--jsonl answers each line before the next one comes', async () => {
    const program = start(scratchFolder(), ['compare', '--jsonl'])
    for (let id = 1; id <= 6; id++) {
      program.send(`${JSON.stringify({ id, ...short })}\n`)
      await program.says(`{"id":${id},`)
    }
    program.end()
    expect((await program.ended).code).toBe(0)
  })

  it('--jsonl is interrupted while it waits for a line', async () => {
    const program = start(scratchFolder(), ['compare', '--jsonl'])
    program.send(`${JSON.stringify(short)}\n`)
    await program.says('"verdict":"pass"')
    expect(await interrupted(program, 'SIGINT')).toMatchObject({ code: 130 })
  })

  it('--jsonl is interrupted between the lines of a file', async () => {
    const dir = scratchFolder()
    writeFileSync(join(dir, 'many.jsonl'), `${JSON.stringify(short)}\n`.repeat(300_000))
    const program = start(dir, ['compare', '--jsonl', 'many.jsonl'])
    await program.says('"verdict":"pass"')
    const { code, out } = await interrupted(program, 'SIGINT')
    expect([code, out.at(-1)]).toEqual([130, '\n'])
  })
})
