import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { findNode, isSupported } from '../../src/server/find-node.js'
import { findServer } from '../../src/server/find-server.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-vscode-'))
  folders.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const installed = (prefix: string, version: string) => ({
  [`${prefix}package.json`]: JSON.stringify({ name: 'autotest-harness', version }),
  [`${prefix}dist/cli/main.js`]: '',
})

describe('the server', () => {
  const own = 'node_modules/autotest-harness/'

  it('is that of the project or of a workspace around it', () => {
    const workspace = folderWith(installed(own, '1.0.0'))
    for (const project of [workspace, join(workspace, 'packages/shop')])
      expect(findServer({ setting: '', project, path: '' })).toMatchObject({
        version: '1.0.0',
        source: 'project',
      })
    expect(findServer({ setting: '', project: folderWith({}), path: '' })).toBeUndefined()
  })

  it('is the one on PATH where the project has none, and never a program of another package', () => {
    const project = folderWith({})
    const ours = folderWith({ ...installed('lib/', '2.0.0'), 'bin/keep': '' })
    symlinkSync(join(ours, 'lib/dist/cli/main.js'), join(ours, 'bin/autotest'))
    const global = folderWith(installed(own, '3.0.0'))
    const strange = folderWith({
      'lib/package.json': '{"name": "autotest"}',
      'lib/dist/cli/main.js': '',
      'bin/keep': '',
      'other/autotest': '#!/bin/sh',
    })
    symlinkSync(join(strange, 'lib/dist/cli/main.js'), join(strange, 'bin/autotest'))
    const find = (...folders: string[]) => findServer({ setting: '', project, path: folders.join(delimiter) })
    expect(find(join(strange, 'bin'), join(strange, 'other'), '/nowhere')).toBeUndefined()
    expect(find(join(strange, 'bin'), join(ours, 'bin'))).toMatchObject({ version: '2.0.0', source: 'PATH' })
    expect(find(global)).toMatchObject({ version: '3.0.0', source: 'PATH' })
    const named = folderWith({ ...installed(own, '1.0.0'), [`${own}package.json`]: '{"name": "other"}' })
    expect(findServer({ setting: '', project: named, path: '' })).toBeUndefined()
  })

  it('is the project itself where that is autotest', () => {
    const project = folderWith(installed('', '3.0.0'))
    expect(findServer({ setting: '', project, path: '' })).toMatchObject({ version: '3.0.0' })
    const other = folderWith({ ...installed('', '3.0.0'), 'package.json': '{"name": "another"}' })
    expect(findServer({ setting: '', project: other, path: '' })).toBeUndefined()
  })

  it('is what the settings name, as a folder or a program, also relative to the project', () => {
    const project = folderWith({ ...installed('tools/autotest/', '4.0.0'), ...installed(own, '1.0.0') })
    for (const setting of [
      'tools/autotest',
      join(project, 'tools/autotest'),
      'tools/autotest/dist/cli/main.js',
    ])
      expect(findServer({ setting, project, path: '' })).toMatchObject({
        version: '4.0.0',
        source: 'setting',
      })
  })

  it('that the settings name wrongly is an error, and no other is taken', () => {
    const project = folderWith(installed(own, '1.0.0'))
    expect(findServer({ setting: 'tools', project, path: '' })).toMatch(
      /autotest\.server\.path: there is no server at .*tools/,
    )
  })
})

describe('Node.js', () => {
  it.each([
    ['v20.18.3', false],
    ['v20.19.0', true],
    ['v21.7.0', false],
    ['v22.0.0', true],
    ['v26.1.0', true],
  ])('%s', (version, expected) => {
    expect(isSupported(version)).toBe(expected)
  })

  it.skipIf(process.platform === 'win32')(
    'that is too old or cannot be run is named, with what to do',
    async () => {
      const folder = folderWith({ node: '#!/bin/sh\necho v18.20.0\n', broken: '#!/bin/sh\nexit 3\n' })
      for (const name of ['node', 'broken']) chmodSync(join(folder, name), 0o755)
      await expect(findNode(join(folder, 'node'))).rejects.toThrow(/20\.19 or newer: .*node is v18\.20\.0/)
      await expect(findNode(join(folder, 'broken'))).rejects.toThrow(
        /broken cannot be run.*autotest\.node\.path/,
      )
      expect(await findNode(process.execPath)).toBe(process.execPath)
      // The first one on PATH that is new enough.
      expect(await findNode('', { ...process.env, PATH: `${folder}:${dirname(process.execPath)}` })).not.toBe(
        join(folder, 'node'),
      )
    },
  )
})
