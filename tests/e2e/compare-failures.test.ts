import { spawn } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { needsFullDevice } from '../needs.js'
import { autotest, cli, removeFolders, scratchFolder } from './sample.js'

afterAll(removeFolders)

const queries = ['--expected', 'select 1', '--generated', 'select 2']

describe('autotest compare', () => {
  it('ends with 3 where the database fails under a query, as where it does not open', async () => {
    let asked = 0
    const service = createServer((_request, response) => {
      asked++
      if (asked > 1) response.writeHead(500)
      response.end('{"columns":["a"],"rows":[[1]]}')
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    try {
      const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}/query`
      const args = ['compare', ...queries, '--engine', address, '--dialect', 'sqlite']
      const { code, out } = await autotest(scratchFolder(), args)
      expect([code, out]).toEqual([3, expect.stringMatching(/verdict +error: .*HTTP 500/)])
    } finally {
      service.close()
    }
  })

  it.each([
    ['one pair', queries],
    ['many pairs', ['--jsonl', 'lines']],
  ])('says in a line that the output of %s is not writable', needsFullDevice, async (_name, args) => {
    const dir = scratchFolder()
    writeFileSync(join(dir, 'lines'), '{"expected":"select 1","generated":"select 1"}\n')
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [cli, 'compare', ...args], {
      cwd: dir,
      stdio: ['ignore', full, 'pipe'],
    })
    closeSync(full)
    let err = ''
    child.stderr?.on('data', (chunk) => {
      err += String(chunk)
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/^error {2}standard output cannot be written: .+\n$/),
    ])
  })
})
