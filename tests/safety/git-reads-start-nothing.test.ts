import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openGit } from '../../src/git/git.js'
import { listFiles } from '../../src/git/list-files.js'
import { autotest, removeFolders, scratchFolder } from '../e2e/sample.js'
import { drifted, gitRepository, read, smallProject, snippetPath, write } from '../e2e/small-project.js'
import { whereGitIs } from '../git/repository.js'

afterAll(removeFolders)

const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }

/** A repository whose own configuration names a program wherever git takes one; each leaves a mark when it runs. */
function armed(): { dir: string; marks: string; git: (...args: string[]) => string } {
  const dir = smallProject(drifted)
  write(dir, '.gitattributes', '*.sql filter=armed diff=armed merge=armed\n*.txt filter=process\n')
  const git = gitRepository(dir)
  const marks = scratchFolder()
  const program = (name: string, then = 'cat'): string => {
    const file = join(marks, 'bin', name)
    write(marks, `bin/${name}`, `#!/bin/sh\n: >'${join(marks, name)}'\n${then}\n`)
    execFileSync('chmod', ['+x', file])
    return file
  }
  const settings: Record<string, string> = {
    'core.fsmonitor': program('fsmonitor', 'exit 1'),
    'core.pager': program('pager'),
    'core.editor': program('editor', 'true'),
    'core.sshCommand': program('ssh', 'exit 1'),
    'core.gitProxy': program('proxy', 'exit 1'),
    'core.askPass': program('askpass', 'exit 1'),
    'core.hooksPath': join(marks, 'hooks'),
    'credential.helper': program('credential', 'exit 1'),
    'diff.external': program('external'),
    'diff.armed.command': program('command'),
    'diff.armed.textconv': program('textconv', 'cat "$1"'),
    'filter.armed.clean': program('clean'),
    'filter.armed.smudge': program('smudge'),
    'filter.process.process': program('process', 'exit 1'),
    'merge.armed.driver': program('driver'),
    'gpg.program': program('gpg', 'exit 1'),
    'log.showSignature': 'true',
    'format.pretty': '%G? %h %s',
    'commit.gpgsign': 'true',
    'protocol.ext.allow': 'always',
    'extensions.partialClone': 'origin',
    'remote.origin.url': `ext::${program('remote', 'exit 1')}`,
    'remote.origin.promisor': 'true',
    'remote.origin.partialclonefilter': 'blob:none',
    'core.repositoryformatversion': '1',
  }
  for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction', 'pre-auto-gc'])
    execFileSync('sh', ['-c', `mkdir -p '${marks}/hooks' && cp '${program(hook, 'true')}' '${marks}/hooks/'`])
  for (const [key, value] of Object.entries(settings)) git('config', key, value)
  // Git has to look at what the files hold.
  for (const path of [snippetPath, 'kb/snippets/orders.sql']) utimesSync(join(dir, path), 1, 1)
  write(dir, 'kb/snippets/orders.sql', `${read(dir, 'kb/snippets/orders.sql')}-- mine\n`)
  return { dir, marks, git }
}

const ran = (marks: string): string[] =>
  readdirSync(marks).filter((name) => name !== 'bin' && name !== 'hooks')

describe('what only reads', () => {
  it('starts no program that a repository itself names, and git alone does', async () => {
    const { dir, marks, git } = armed()
    const index = read(dir, '.git/index')
    const planned = await autotest(dir, ['--dry-run'], env)
    expect(planned.out).toContain("gmv: filter status = 'paid' was missing")
    expect(planned.code).toBe(1)
    for (const args of [['doctor'], ['kb', 'check'], ['why', 'gmv_id'], ['audit']])
      expect((await autotest(dir, args, env)).code, args[0]).toBeLessThan(3)
    expect(ran(marks)).toEqual([])
    expect(read(dir, '.git/index')).toBe(index)
    git('status')
    git('diff')
    expect(ran(marks)).toEqual(expect.arrayContaining(['fsmonitor', 'clean', 'post-index-change', 'command']))
    git('blame', snippetPath)
    expect(ran(marks)).toContain('textconv')
  })

  it('fetches no object by a program of the repository', async () => {
    const { dir, marks, git } = armed()
    const hash = git('rev-parse', `HEAD:${snippetPath}`).trim()
    rmSync(join(dir, '.git/objects', hash.slice(0, 2), hash.slice(2)))
    expect((await (await openGit(dir))('show', `HEAD:${snippetPath}`)).exitCode).not.toBe(0)
    expect(ran(marks)).toEqual([])
    expect(() => git('show', `HEAD:${snippetPath}`)).toThrow()
    expect(ran(marks)).toContain('remote')
  })

  it("uses a filter that is the user's own, without which a file would look changed", async () => {
    const { dir, marks, git } = armed()
    const settings = join(marks, 'bin', 'gitconfig')
    // Of sh alone: `sed` is not on every machine.
    const lines = `while IFS= read -r line; do [ "$line" != paid ] || line=PAID; printf '%s\\n' "$line"; done`
    write(marks, 'bin/paid', `${lines}\n`)
    write(marks, 'bin/gitconfig', `[filter "armed"]\n\tclean = "sh '${join(marks, 'bin/paid')}'"\n`)
    const before = process.env['GIT_CONFIG_GLOBAL']
    process.env['GIT_CONFIG_GLOBAL'] = settings
    try {
      const hash = await (await openGit(dir))('hash-object', '--path=a.sql', '--', 'kb/metrics/gmv.yaml')
      const plain = git('hash-object', '--no-filters', 'kb/metrics/gmv.yaml')
      expect(hash).toMatchObject({ exitCode: 0, stdout: plain })
      write(dir, 'kb/paid.sql', 'paid\n')
      const changed = await (await openGit(dir))('hash-object', '--', 'kb/paid.sql')
      write(dir, 'kb/other.txt', 'PAID\n')
      expect(changed.stdout).toBe(git('hash-object', '--no-filters', 'kb/other.txt'))
      expect(ran(marks)).toEqual([])
    } finally {
      if (before === undefined) delete process.env['GIT_CONFIG_GLOBAL']
      else process.env['GIT_CONFIG_GLOBAL'] = before
    }
  })

  it('refuses a filter whose name cannot be switched off', async () => {
    const { dir, git } = armed()
    git('config', 'filter.a=b.clean', 'cat')
    await expect((await openGit(dir))('status', '--porcelain')).rejects.toMatchObject({
      code: 'git_unavailable',
      message: "the repository's configuration has a filter filter.a=b.clean",
    })
  })
})

describe('the deadline of git', () => {
  it('ends a read that waits for a pipe, with a clear error', async () => {
    const dir = smallProject()
    gitRepository(dir)
    rmSync(join(dir, '.gitignore'))
    execFileSync('mkfifo', [join(dir, '.gitignore')])
    const git = await openGit(dir, { deadlineMs: 1000 })
    await expect(git('ls-files', '--others', '--exclude-standard')).rejects.toMatchObject({
      code: 'git_unavailable',
      message: 'git ls-files did not end within 1 s',
    })
  })

  it('ends what git started, too', async () => {
    const dir = smallProject()
    gitRepository(dir)
    const bin = scratchFolder()
    const mark = join(bin, 'left-over')
    write(bin, 'git', `#!/bin/sh\n(sleep 4; : >'${mark}') &\nsleep 60\nexec '${whereGitIs()}' "$@"\n`)
    execFileSync('chmod', ['+x', join(bin, 'git')])
    const path = process.env['PATH']
    process.env['PATH'] = `${bin}:${path}`
    try {
      await expect((await openGit(dir, { deadlineMs: 500 }))('status')).rejects.toThrow(
        /^git \w+ did not end/,
      )
    } finally {
      process.env['PATH'] = path
    }
    await new Promise((resolve) => setTimeout(resolve, 5000))
    expect(existsSync(mark)).toBe(false)
  })

  it('is far from what ordinary reads need', async () => {
    const dir = smallProject()
    gitRepository(dir)
    expect(await listFiles(dir)).toContain(snippetPath)
    expect(read(dir, snippetPath)).not.toBe('')
  })
})
