import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { findPython } from '../../src/app/project/find-python.js'
import { autotestProcess, cli, removeFolders, scratchFolder } from '../e2e/sample.js'
import { killServers, connect as startConnection } from '../e2e/serve-connection.js'
import { gitRepository } from '../e2e/small-project.js'
import { needsPython } from '../needs.js'

afterEach(killServers)
afterAll(removeFolders)

const secret = 'hunter2-hunter2'
// An environment that the user activated comes before those of the project.
delete process.env['VIRTUAL_ENV']

/** A project whose folder has a program for an interpreter, which leaves its environment behind when it starts. */
function armed(folder: string): { readonly root: string; readonly mark: string } {
  const root = scratchFolder()
  const mark = join(scratchFolder(), 'mark')
  const files = {
    'src/shop/calc.py': 'def add(a: int, b: int) -> int:\n    return a + b\n',
    [`${folder}/bin/python`]: `#!/bin/sh\nenv > '${mark}'\nexec python3 "$@"\n`,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  chmodSync(join(root, folder, 'bin/python'), 0o755)
  return { root, mark }
}
const find = (root: string) => findPython({ root, env: { ...process.env, API_TOKEN: secret } })

describe('an interpreter in a project', { ...needsPython, timeout: 120_000 }, () => {
  it.each(['env', '.venv', 'venv'])(
    'is not started where %s came with the repository, by any door',
    async (folder) => {
      const { root, mark } = armed(folder)
      gitRepository(root)
      const env = { API_TOKEN: secret }
      const generated = await autotestProcess(root, ['generate', '--dry-run', 'src'], env)
      const said = `${folder}/bin/python is not started, as it came with the repository (git tracks it)`
      expect(generated.out + generated.err).toContain(said)
      expect(generated.code).toBe(0)
      const ran = await autotestProcess(root, ['sandbox', '--role', 'coder', '--', 'true'], env)
      expect(ran).toMatchObject({ code: 0, err: expect.stringContaining(said) })
      const request = { tool: 'Write', path: 'src/shop/more.py', role: 'coder' }
      const input = JSON.stringify(request)
      const answer = execFileSync(process.execPath, [cli, 'guard', '--role', 'coder'], { cwd: root, input })
      expect(JSON.parse(String(answer))).toEqual({ decision: 'allow' })
      const { connection } = startConnection(root)
      await connection.sendRequest('parse_file', { filePath: 'src/shop/calc.py' })
      expect(existsSync(mark)).toBe(false)
    },
  )

  it('is not started in other letters, by a link, as a submodule, or where git does not answer', async () => {
    const linked = armed('tools')
    symlinkSync('tools', join(linked.root, 'env'))
    gitRepository(linked.root)
    const upper = armed('ENV')
    gitRepository(upper.root)
    // What a disk that keeps no letter case shows for it.
    symlinkSync('ENV', join(upper.root, 'env'))
    const module = armed('env')
    gitRepository(join(module.root, 'env'))
    gitRepository(module.root)
    const broken = armed('env')
    mkdirSync(join(broken.root, '.git'))
    for (const { root, mark } of [linked, upper, module, broken]) {
      expect((await find(root)).passedOver).toHaveLength(1)
      expect(existsSync(mark)).toBe(false)
    }
    expect((await find(broken.root)).passedOver[0]).toContain('git does not say')
  })

  it('is started where it was made after cloning, or there is no repository, and gets no secret', async () => {
    const ignored = armed('.venv')
    const gitIn = gitRepository(ignored.root)
    gitIn('rm', '-q', '-r', '--cached', '.venv')
    writeFileSync(join(ignored.root, '.gitignore'), '.venv\n')
    const plain = armed('env')
    const fresh = armed('venv')
    const git = gitRepository(fresh.root)
    git('rm', '-q', '-r', '--cached', 'venv')
    for (const { root, mark } of [ignored, plain, fresh]) {
      const found = await find(root)
      expect(found.passedOver).toEqual([])
      expect(readFileSync(mark, 'utf8')).not.toContain(secret)
      rmSync(mark)
    }
  })

  it('is started where it is named', async () => {
    const { root, mark } = armed('env')
    gitRepository(root)
    await findPython({ root, configured: 'env/bin/python', env: process.env })
    expect(existsSync(mark)).toBe(true)
  })
})
