import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { removeFolders, scratchFolder } from '../e2e/sample.js'
import { read, write } from '../e2e/small-project.js'
import { pageText, shownCommands, shownFile } from './page.js'

const page = pageText('docs/getting-started.md')
const files = ['config', 'fixture', 'benchmark', 'metric', 'snippet', 'ignore'].map((name) =>
  shownFile(page, name),
)

afterAll(removeFolders)

/** A folder with the page's files in which the package is installed, and a shell in it that runs one line. */
function reader() {
  const dir = scratchFolder()
  for (const { path, text } of files) write(dir, path, text)
  mkdirSync(join(dir, 'node_modules/.bin'), { recursive: true })
  const program = `#!/bin/sh\nexec ${process.execPath} ${resolve('dist/cli/main.js')} "$@"\n`
  writeFileSync(join(dir, 'node_modules/.bin/autotest'), program, { mode: 0o755 })
  const identity = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL']
  const env = { ...process.env, ...identity, ...Object.fromEntries(names.map((name) => [name, 'reader'])) }
  const type = (line: string) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: dir, encoding: 'utf8', env })
    return { status, said: `$ ${line}\n${stdout}${stderr}` }
  }
  const typeAll = (lines: readonly string[]): string =>
    lines
      .map((line) => {
        const { status, said } = type(line)
        expect(status, said).toBe(0)
        return said
      })
      .join('\n')
  return { dir, typeAll }
}

function deleteLines(dir: string): void {
  const { path, text } = shownFile(page, 'delete')
  const before = read(dir, path)
  expect(before.split(text)).toHaveLength(2)
  write(dir, path, before.replace(text, ''))
}

const snippet = shownFile(page, 'snippet')

describe('docs/getting-started.md', () => {
  it.each(['Remove the condition on region', 'Try autotest', 'drop region', 'wip', 'Refactor the gmv query'])(
    'typed as written, the drift committed as "%s": the line is restored',
    (message) => {
      const { dir, typeAll } = reader()
      expect(typeAll(shownCommands(page, 'run'))).toContain('passed=2')
      deleteLines(dir)
      const drift = shownCommands(page, 'drift').map((line) =>
        line.replace(/"[^"]*"/, JSON.stringify(message)),
      )
      typeAll(drift)
      expect(typeAll(shownCommands(page, 'repair'))).toContain('repaired=2')
      expect(read(dir, snippet.path)).toBe(snippet.text)
    },
  )

  it('the drift is not committed: the line is restored', () => {
    const { dir, typeAll } = reader()
    typeAll(shownCommands(page, 'run'))
    deleteLines(dir)
    expect(typeAll(shownCommands(page, 'repair'))).toContain('repaired=2')
    expect(read(dir, snippet.path)).toBe(snippet.text)
  })

  it('without git: the line is restored, and nothing is said to be committed', () => {
    const { dir, typeAll } = reader()
    const withoutGit = shownCommands(page, 'run').filter((line) => !line.startsWith('git '))
    expect(typeAll(withoutGit)).toContain('passed=2')
    deleteLines(dir)
    const said = typeAll(shownCommands(page, 'repair'))
    expect(said).toContain('repaired=2')
    expect(said).toContain('Not committed')
    expect(read(dir, snippet.path)).toBe(snippet.text)
  })

  it('counts its steps and files', () => {
    expect([...page.matchAll(/^## \d\. /gm)]).toHaveLength(4)
    expect(page).toContain('in four steps: install, write six\nfiles')
    expect(files).toHaveLength(6)
  })
})
