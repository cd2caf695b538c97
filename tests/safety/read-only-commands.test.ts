import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { autotestProcess, removeFolders, scratchFolder } from '../e2e/sample.js'
import { needsBash, needsPython } from '../needs.js'

afterAll(removeFolders)

it('a command that only reads has written nothing, whatever the modes of files', {
  ...needsBash,
  ...needsPython,
  timeout: 120_000,
}, async () => {
  const root = scratchFolder()
  execFileSync('git', ['init', '-q', root])
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'pyproject.toml'), '')
  const modes = [0o664, 0o666, 0o600, 0o755, 0o775, 0o444, 0o640]
  for (const mode of modes) {
    writeFileSync(join(root, `src/m${mode.toString(8)}.py`), 'x = 1\n')
    chmodSync(join(root, `src/m${mode.toString(8)}.py`), mode)
  }
  const run = (command: string) =>
    autotestProcess(root, ['sandbox', '--role', 'coder', '--', 'bash', '-c', command])
  expect(await run('cat src/*.py > /dev/null')).toEqual({ code: 0, out: '', err: '' })
  expect(await run('chmod g-w src/m664.py')).toMatchObject({
    code: 1,
    err: expect.stringContaining('refused  src/m664.py: only its mode was changed, which is not taken over'),
  })
  expect((await run('echo y = 1 > src/m664.py')).err).toContain('1 file written by coder: src/m664.py')
  expect(readFileSync(join(root, 'src/m664.py'), 'utf8')).toBe('y = 1\n')
  expect(statSync(join(root, 'src/m664.py')).mode & 0o777).toBe(0o664)
})
