import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { findPython, requirePytest } from '../../../src/app/project/find-python.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A folder with programs that answer as an interpreter would: what they print, by path. */
function withPrograms(programs: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'autotest-pythons-'))
  folders.push(root)
  for (const [path, body] of Object.entries(programs)) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `#!/bin/sh\n${body}\n`)
    chmodSync(file, 0o755)
  }
  return root
}
const says = (version: readonly number[], pytest: string | null = '8.0'): string =>
  `echo '${JSON.stringify({ executable: '/py', version, pytest, folders: ['/lib'] })}'`
const find = (root: string, configured?: string) =>
  findPython({ root, configured, env: { PATH: `${root}/bin:/usr/bin:/bin`.replace(':/usr/bin:/bin', '') } })

describe.skipIf(process.platform === 'win32')('the Python of a project', () => {
  it('is that of its virtual environment before that on PATH', async () => {
    const root = withPrograms({
      '.venv/bin/python': says([3, 12, 1]),
      'bin/python3': says([3, 9, 0]),
    })
    expect(await find(root)).toMatchObject({ version: '3.12.1', source: '.venv', pytest: '8.0' })
  })

  it('is the next one where the first is too old, or does not start', async () => {
    const root = withPrograms({
      '.venv/bin/python': 'echo "SyntaxError: invalid syntax" >&2; exit 1',
      'bin/python3': says([3, 8, 10]),
      'bin/python': says([3, 10, 4]),
    })
    expect(await find(root)).toMatchObject({ version: '3.10.4', source: 'PATH' })
  })

  it.each([
    ['there is none', {}, 'no Python 3.9 or newer was found'],
    [
      'it is Python 2',
      { 'bin/python': 'echo "ImportError: No module named importlib.metadata" >&2; exit 1' },
      'importlib.metadata',
    ],
    ['it is too old', { 'bin/python3': says([3, 8, 10]) }, 'is Python 3.8.10'],
    ['it is no Python', { 'bin/python3': 'echo hello' }, 'it does not answer as Python does: hello'],
  ])('is missing where %s, with what was seen', async (_what, programs, words) => {
    await expect(find(withPrograms(programs))).rejects.toMatchObject({
      code: 'python_missing',
      message: expect.stringContaining(words),
      hint: expect.stringContaining('--python'),
    })
  })

  it('is the one that is named, or none', async () => {
    const root = withPrograms({ 'bin/python3': says([3, 12, 1]) })
    await expect(find(root, join(root, 'nothing'))).rejects.toThrow('no Python 3.9 or newer was found')
  })

  it.each([
    ['bin/python3', '/py -m venv .venv && .venv/bin/python -m pip install pytest (Debian'],
    ['.venv/bin/python', '/py -m pip install pytest (Debian'],
  ])('without pytest, as %s, names the line that installs it', async (place, line) => {
    const found = await find(withPrograms({ [place]: says([3, 11, 2], null) }))
    expect(() => requirePytest(found)).toThrow('/py (Python 3.11.2) has no pytest')
    expect(() => requirePytest(found)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(`Install it: ${line}`) }),
    )
  })
})
