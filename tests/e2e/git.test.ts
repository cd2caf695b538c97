import { chmodSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { whereGitIs } from '../git/repository.js'
import { autotest, removeFolders, scratchFolder } from './sample.js'
import {
  append,
  benchmarkPath,
  drifted,
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
  userFiles,
  write,
} from './small-project.js'

afterAll(removeFolders)

const repository = () => {
  const dir = smallProject(drifted)
  return { dir, git: gitRepository(dir) }
}

it("another user's repository is told once with the remedy, and is repaired without its history", async () => {
  const { dir } = repository()
  const bin = scratchFolder()
  write(bin, 'git', `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '${whereGitIs()}' "$@"\n`)
  chmodSync(join(bin, 'git'), 0o755)
  // Without the settings of whoever runs the test, who may have trusted every folder.
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  }
  const { code, out, err } = await autotest(dir, ['--yes'], env)
  const remedy = `git config --global --add safe.directory ${dir}`
  expect(`${out}${err}`).toContain(`belongs to another user: the history of files and cases is unknown`)
  expect(`${out}${err}`).toContain(`(${remedy})`)
  expect(out).toContain(
    `Not committed: the git repository belongs to another user. The repairs are in the working tree. Allow git to read it: ${remedy}.`,
  )
  expect([code, read(dir, snippetPath)]).toEqual([1, goodSnippet])
})

describe('--yes', () => {
  it('commits each repair alone, with trailers, and exits 0; revert then brings the bytes back', async () => {
    const { dir, git } = repository()
    const before = userFiles(dir)
    const { code, out } = await autotest(dir, ['--yes'])
    const id = /^autotest (r-\w+):/.exec(out)?.[1] ?? ''
    expect(out).toMatch(/^Committed [0-9a-f]{7} {2}gmv: filter status = 'paid' was missing$/m)
    expect(code).toBe(0)
    expect(git('log', '-1', '--format=%B')).toMatch(
      new RegExp(
        `\\nRun: ${id}\\nCases-Fixed: gmv_id, gmv_th\\nGrade: E2\\nEvidence: 2 cases, .*\\nCost: 0 LLM calls\\n`,
      ),
    )
    expect(git('show', '--stat', '--format=')).toMatch(/^ kb\/snippets\/gmv\.sql \| 1 \+/)
    expect(git('status', '--porcelain')).toBe('')

    const reverted = await autotest(dir, ['revert', id])
    expect(reverted.out).toMatch(/Commit [0-9a-f]{7} remains in the history/)
    expect(reverted.code).toBe(0)
    expect(userFiles(dir)).toEqual(before)
    expect(git('status', '--porcelain')).toBe(` M ${snippetPath}\n?? autotest.decisions.yaml\n`)
  })

  it('says of a repair that it was reverted before', async () => {
    const { dir, git } = repository()
    const id = /^autotest (r-\w+):/.exec((await autotest(dir, ['--yes'])).out)?.[1] ?? ''
    expect(git('log', '-1', '--format=%B')).not.toContain('reverted')
    await autotest(dir, ['revert', id])
    rmSync(join(dir, 'autotest.decisions.yaml'))
    git('commit', '--all', '--quiet', '--message=wip')
    await autotest(dir, ['--yes'])
    expect(git('log', '-1', '--format=%B')).toContain(`; run ${id} wrote the same, and it was reverted`)
  })

  it('commits nothing outside a git repository, keeps the repair, and it can be reverted', async () => {
    const dir = smallProject(drifted)
    const before = userFiles(dir)
    const { code, out } = await autotest(dir, ['--yes'])
    expect(out).toContain(
      'Not committed: the project is not in a git repository. The repairs are in the working tree.',
    )
    expect(out).toMatch(/undo with autotest revert r-\w+/)
    // There is nothing to commit to: keeping them is what was asked.
    expect(code).toBe(0)
    expect(read(dir, snippetPath)).toBe(goodSnippet)
    expect((await autotest(dir, ['revert', 'last'])).code).toBe(0)
    expect(userFiles(dir)).toEqual(before)
  })

  it('leaves what the user has staged staged, and out of its commit', async () => {
    const { dir, git } = repository()
    write(dir, 'new.txt', 'mine\n')
    append(dir, 'kb/metrics/orders.yaml', '# mine\n')
    git('add', 'new.txt', 'kb/metrics/orders.yaml')
    append(dir, 'benchmarks/gmv.yaml', '# not staged\n')
    const { code, out } = await autotest(dir, ['--yes'])
    expect(out).toContain('Committed')
    expect(code).toBe(0)
    expect(git('show', '--name-only', '--format=').trim()).toBe(snippetPath)
    expect(git('status', '--porcelain')).toBe(
      ' M benchmarks/gmv.yaml\nM  kb/metrics/orders.yaml\nA  new.txt\n',
    )
  })

  it('commits nothing while a merge is under way', async () => {
    const { dir, git } = repository()
    git('checkout', '--quiet', '-b', 'other')
    write(dir, 'note.txt', 'theirs\n')
    git('add', 'note.txt')
    git('commit', '--quiet', '--message=theirs')
    git('checkout', '--quiet', 'main')
    write(dir, 'note.txt', 'ours\n')
    git('add', 'note.txt')
    git('commit', '--quiet', '--message=ours')
    expect(() => git('merge', 'other')).toThrow()
    const { code, out } = await autotest(dir, ['--yes'])
    expect(out).toContain(
      'Not committed: a merge is in progress\n  Finish the merge; the edits stay in the working tree.',
    )
    expect(code).toBe(1)
    expect(existsSync(join(dir, '.git/MERGE_HEAD'))).toBe(true)
    expect(git('status', '--porcelain')).toBe(` M ${snippetPath}\nAA note.txt\n`)
    git('checkout', '--quiet', '--', snippetPath)
    const { out: left } = await autotest(dir, [])
    expect(left).toContain(' · cannot be committed: a merge is in progress')
    expect(left).not.toContain('--yes')
  })

  it('keeps the edits where a commit hook fails, and repeats what the hook said', async () => {
    const { dir, git } = repository()
    write(dir, '.git/hooks/pre-commit', '#!/bin/sh\necho "no commits on Fridays" >&2\nexit 1\n')
    chmodSync(join(dir, '.git/hooks/pre-commit'), 0o755)
    const { code, out } = await autotest(dir, ['--yes'])
    expect(out).toContain('Not committed: a commit hook (pre-commit) failed: no commits on Fridays')
    expect(code).toBe(1)
    expect(git('status', '--porcelain')).toBe(` M ${snippetPath}\n`)
    expect(git('log', '--format=%s')).toBe('start\n')
  })

  it('reports a lock of another git command and never deletes it', async () => {
    const { dir } = repository()
    write(dir, '.git/index.lock', '')
    const { code, out } = await autotest(dir, ['--yes'])
    expect(out).toMatch(/Not committed: .*index\.lock exists: another git command is running/)
    expect(code).toBe(1)
    expect(existsSync(join(dir, '.git/index.lock'))).toBe(true)
    expect(read(dir, snippetPath)).toBe(goodSnippet)
  })
})

describe('an expected query that was changed alone', () => {
  const changed = () => {
    const dir = smallProject()
    const git = gitRepository(dir)
    write(dir, benchmarkPath, read(dir, benchmarkPath).replace('count(*) AS', 'count(DISTINCT day) AS'))
    return { dir, git }
  }

  it('is suspect, and the knowledge is left as it is', async () => {
    const { dir, git } = changed()
    git('commit', '--all', '--quiet', '--message=count days')
    const hash = git('rev-parse', '--short', 'HEAD').trim()
    const { code, out } = await autotest(dir, ['--yes'])
    const said = `commit ${hash} \\([-\\d]{10}, "count days"\\) modified its expected query; metric orders matches the previous one`
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(said))
    expect(code).toBe(1)
    expect(git('status', '--porcelain')).toBe('')
  })

  it('is so before it is committed', async () => {
    const { dir, git } = changed()
    const { out } = await autotest(dir, ['--yes'])
    expect(out.replaceAll(/\s+/g, ' ')).toContain('an uncommitted change modified its expected query')
    expect(git('status', '--porcelain')).toBe(` M ${benchmarkPath}\n`)
  })
})

it('--no-commit leaves the repair in the tree and the history alone', async () => {
  const { dir, git } = repository()
  const { code, out } = await autotest(dir, ['--no-commit'])
  expect(out).not.toContain('ommitted')
  expect(code).toBe(0)
  expect(git('status', '--porcelain')).toBe(` M ${snippetPath}\n`)
})

describe("a file with the user's own changes", () => {
  const twoCauses = () => {
    const dir = smallProject({
      ...drifted,
      'kb/metrics/orders.yaml':
        'metric: orders\ntitle: Orders\naliases: [sold]\nsnippet: orders.sql\nparameters:\n  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], VN: [Vietnam] } }\n  period: { type: date_range }\n',
    })
    return { dir, git: gitRepository(dir) }
  }

  it('is not edited, and named; other repairs go on', async () => {
    const { dir, git } = twoCauses()
    append(dir, snippetPath, '-- mine\n')
    const before = read(dir, snippetPath)
    const { code, out } = await autotest(dir, ['--yes'])
    expect(out).toMatch(
      /^FAIL gmv_id: .*not repaired: kb\/snippets\/gmv\.sql has uncommitted changes \(commit or stash first, or give --allow-dirty\)$/m,
    )
    expect(out).toMatch(/^Committed [0-9a-f]{7} {2}orders: alias "orders" was missing$/m)
    expect(code).toBe(1)
    expect(read(dir, snippetPath)).toBe(before)
    expect(git('status', '--porcelain')).toBe(` M ${snippetPath}\n`)
  })

  it('is repaired where that only gives back what is committed', async () => {
    const dir = smallProject({})
    const git = gitRepository(dir)
    write(dir, snippetPath, `${driftedSnippet}-- mine\n`)
    const { code, out } = await autotest(dir, ['--yes'])
    expect(out).toContain('REPAIRED metric gmv')
    expect(read(dir, snippetPath)).toBe(`${goodSnippet}-- mine\n`)
    expect(git('status', '--porcelain')).toBe(` M ${snippetPath}\n`)
    expect(git('log', '--format=%s')).toBe('start\n')
    expect(out).toContain(`Not committed: ${snippetPath} had uncommitted changes before this run`)
    expect(code).toBe(1)
  })

  it('is settled where it is as committed again', async () => {
    const dir = smallProject({})
    const git = gitRepository(dir)
    write(dir, snippetPath, driftedSnippet)
    const { code, out } = await autotest(dir, [])
    expect(out).toContain(`Nothing to commit: ${snippetPath} · unchanged since the last commit`)
    expect(read(dir, snippetPath)).toBe(goodSnippet)
    expect(git('status', '--porcelain')).toBe('')
    expect(code).toBe(0)
  })

  it('is not edited where the changes are staged', async () => {
    const { dir, git } = repository()
    append(dir, snippetPath, '-- mine\n')
    git('add', snippetPath)
    expect((await autotest(dir, [])).out).toContain(`${snippetPath} has staged changes`)
    expect(git('status', '--porcelain')).toBe(`M  ${snippetPath}\n`)
  })

  it('is repaired under --allow-dirty, and left uncommitted', async () => {
    const { dir, git } = repository()
    append(dir, snippetPath, '-- mine\n')
    const { code, out } = await autotest(dir, ['--yes', '--allow-dirty'])
    expect(out).toContain(`Not committed: ${snippetPath} had uncommitted changes before this run`)
    expect(code).toBe(1)
    expect(read(dir, snippetPath)).toBe(`${goodSnippet}-- mine\n`)
    expect(git('log', '--format=%s')).toBe('start\n')
  })

  it('is shown in the plan of a dry run, and refused by apply until it is committed', async () => {
    const { dir, git } = repository()
    append(dir, snippetPath, '-- mine\n')
    const before = userFiles(dir)
    const { out, err } = await autotest(dir, ['--dry-run'])
    expect(out).toContain('PLANNED metric gmv (2 cases, E2)')
    expect(`${out}${err}`).toContain(
      `${snippetPath} has uncommitted changes: commit that before autotest apply`,
    )
    const refused = await autotest(dir, ['apply', 'last'])
    expect(refused.err).toContain(`error  ${snippetPath} has uncommitted changes; nothing was written`)
    expect(refused.code).toBe(1)
    expect(userFiles(dir)).toEqual(before)
    git('commit', '--all', '--quiet', '--message=mine')
    expect((await autotest(dir, ['apply', 'last'])).code).toBe(0)
    expect(read(dir, snippetPath)).toBe(`${goodSnippet}-- mine\n`)
  })

  it('that git does not know yet is repaired and left uncommitted', async () => {
    const dir = smallProject(drifted)
    const git = gitRepository(dir)
    git('rm', '--cached', '--quiet', snippetPath)
    git('commit', '--quiet', '--message=without')
    const { out } = await autotest(dir, ['--yes'])
    expect(out).toContain(`Not committed: ${snippetPath} had uncommitted changes before this run`)
    expect(read(dir, snippetPath)).toBe(goodSnippet)
  })

  it('is told apart from one with an earlier repair, which a later run goes on with', async () => {
    const { dir, git } = repository()
    expect((await autotest(dir, ['--no-commit'])).code).toBe(0)
    const left = read(dir, snippetPath)
    const other = (sql: string): string => sql.replaceAll('sum(amount) AS gmv', 'max(amount) AS gmv')
    write(dir, benchmarkPath, other(read(dir, benchmarkPath)))
    const again = await autotest(dir, ['--yes'])
    expect(read(dir, snippetPath)).toBe(other(left))
    expect(again.out).toContain(`Not committed: ${snippetPath} had uncommitted changes before this run`)

    write(dir, benchmarkPath, read(dir, benchmarkPath).replaceAll('max(amount)', 'min(amount)'))
    append(dir, snippetPath, '-- mine\n')
    expect((await autotest(dir, ['--yes'])).out).toContain('has uncommitted changes')
    expect(read(dir, snippetPath)).toBe(`${other(left)}-- mine\n`)
    expect(git('log', '--format=%s')).toBe('start\n')
  })
})

it('a repair that a hook kept from being committed is named by the next run, which finds nothing to repair', async () => {
  const { dir } = repository()
  const hook = join(dir, '.git/hooks/pre-commit')
  write(dir, '.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n')
  chmodSync(hook, 0o755)
  expect((await autotest(dir, ['--yes'])).code).toBe(1)
  rmSync(hook)
  const { code, err } = await autotest(dir, ['--yes'])
  expect([code, err]).toEqual([
    0,
    expect.stringContaining(`${snippetPath} has a repair of an earlier run that is not committed`),
  ])
})

it('a commit that git made before a later hook was interrupted is a commit', async () => {
  const { dir, git } = repository()
  write(dir, '.git/hooks/post-commit', '#!/bin/sh\nkill -INT $PPID\nsleep 5\n')
  chmodSync(join(dir, '.git/hooks/post-commit'), 0o755)
  const { out, err } = await autotest(dir, ['--yes'])
  expect(git('status', '--porcelain', '--', 'kb')).toBe('')
  expect(`${out}${err}`).not.toContain('Not committed')
})
