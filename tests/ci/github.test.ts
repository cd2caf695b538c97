import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { cli, removeFolders, scratchFolder } from '../e2e/sample.js'
import {
  drifted,
  driftedSnippet,
  goodSnippet,
  smallProject,
  snippetPath,
  write,
} from '../e2e/small-project.js'
import { needsBash } from '../needs.js'

afterAll(removeFolders)

/** A stand-in for GitHub's command line, which keeps comments and pull requests in a file. */
const fakeGh = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const file = process.env.FAKE_GH
const state = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { comments: [], reviews: [], pulls: [], calls: 0 }
const args = process.argv.slice(2)
state.calls += 1
const save = (out) => { writeFileSync(file, JSON.stringify(state)); process.stdout.write(out) }
const value = (flag) => args[args.indexOf(flag) + 1]
if (args[0] === 'api') {
  const path = args[3]
  const list = /pulls\\/\\d+\\/comments/.test(path) ? state.reviews : state.comments
  if (args[2] === 'GET') save(JSON.stringify([list]))
  else {
    const body = JSON.parse(readFileSync(0, 'utf8'))
    const id = Number(/comments\\/(\\d+)$/.exec(path)?.[1])
    if (args[2] === 'PATCH') Object.assign(state.comments[id], body)
    else list.push({ id: list.length, ...body })
    save('{}')
  }
} else if (args[1] === 'list') save(state.pulls.length === 0 ? '' : '1')
else if (args[1] === 'create') { state.pulls.push({ title: value('--title'), body: readFileSync(value('--body-file'), 'utf8') }); save('') }
else if (args[1] === 'edit') { state.pulls[0] = { title: value('--title'), body: readFileSync(value('--body-file'), 'utf8') }; save('') }
`

function project(changes: Record<string, string | null> = {}) {
  const dir = smallProject(changes)
  const remote = scratchFolder()
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com', ...args], {
      cwd: dir,
      encoding: 'utf8',
    })
  execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', remote])
  write(dir, '.gitignore', 'reports/\n.autotest/\n*.sqlite\nbin/\ngh.json\n')
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-qm', 'start'],
    ['remote', 'add', 'origin', remote],
    ['push', '-q', 'origin', 'main'],
  ])
    git(...args)
  mkdirSync(join(dir, 'bin'))
  writeFileSync(join(dir, 'bin/gh'), fakeGh)
  chmodSync(join(dir, 'bin/gh'), 0o755)
  const state = () => JSON.parse(readFileSync(join(dir, 'gh.json'), 'utf8'))
  const run = (mode: string, env: Record<string, string> = {}, script = 'ci/github.sh') =>
    spawnSync('bash', [resolve(script)], {
      cwd: dir,
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${join(dir, 'bin')}:${process.env['PATH']}`,
        AUTOTEST_PROGRAM: `${process.execPath}\n${cli}`,
        AUTOTEST_MODE: mode,
        AUTOTEST_DEFAULT_BRANCH: 'main',
        GITHUB_REPOSITORY: 'team/shop',
        GITHUB_OUTPUT: join(dir, 'reports-output'),
        GITHUB_STEP_SUMMARY: join(dir, 'reports-summary'),
        FAKE_GH: join(dir, 'gh.json'),
        ...env,
      },
    })
  return { dir, remote, git, state, run }
}

const onPull = { AUTOTEST_PULL_REQUEST: '7', AUTOTEST_HEAD: 'a'.repeat(40) }

describe('the GitHub Action', () => {
  it('is a composite action whose steps and inputs fit together', () => {
    const action = parse(readFileSync('action.yml', 'utf8'))
    expect(action.runs.using).toBe('composite')
    const used = [...readFileSync('action.yml', 'utf8').matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name)
    expect(new Set(used)).toEqual(new Set(Object.keys(action.inputs)))
    for (const step of action.runs.steps) if (step.run !== undefined) expect(step.shell).toBe('bash')
  })

  it(
    'comments on a pull request with before and after, suggests the repair, and updates both in place',
    needsBash,
    () => {
      const { dir, git, state, run } = project()
      expect(run('evaluate', { GITHUB_REF_NAME: 'main' }).status).toBe(0)
      const main = git('rev-parse', 'HEAD').trim()
      expect(readdirSync(join(dir, '.autotest/base'))).toEqual([`${main}.json`])
      git('checkout', '-q', '-b', 'change')
      write(dir, snippetPath, driftedSnippet)
      git('commit', '-qam', 'shorter')
      expect(run('plan', onPull).status).toBe(1)
      expect(run('plan', onPull).status).toBe(1)
      const { comments, reviews } = state()
      expect(comments).toHaveLength(1)
      expect(comments[0].body).toMatch(
        new RegExp(
          `^<!-- autotest -->\n\\| before repairs \\| main \`${main.slice(0, 12)}\` \\| this \\|[\\s\\S]*\\| right \\| 3 of 3 \\| 1 of 3 \\|[\\s\\S]*Newly wrong \\(2\\):\\*\\* \`gmv_id\`, \`gmv_th\``,
        ),
      )
      expect(reviews).toHaveLength(1)
      const lines = driftedSnippet.split('\n')
      const { path, line, body } = reviews[0]
      // What the suggestion makes of the file is the repaired one.
      const [, given = ''] = /```suggestion\n([\s\S]*?)\n```/.exec(body) ?? []
      lines.splice(line - 1, 1, given)
      expect([path, lines.join('\n')]).toEqual([snippetPath, goodSnippet])
      expect(readFileSync(join(dir, 'reports-output'), 'utf8')).toContain(
        'exit-code=1\nreport=reports/report.html',
      )
      expect(readFileSync(join(dir, 'reports-summary'), 'utf8')).toContain('Planned repairs')
    },
  )

  it(
    'compares with main before its repairs: a night that repaired makes no other pull request look wrong',
    needsBash,
    () => {
      const { dir, git, state, run } = project(drifted)
      const night = run('repair', { GITHUB_REF_NAME: 'main' })
      expect([night.status, git('branch', '--list', 'autotest/repairs')]).toEqual([
        0,
        expect.stringContaining('autotest/repairs'),
      ])
      git('checkout', '-q', 'main')
      git('checkout', '-q', '-b', 'text')
      write(dir, 'notes.md', 'a text')
      git('add', 'notes.md')
      git('commit', '-qm', 'a text')
      run('plan', onPull)
      const [{ body }] = state().comments
      expect(body).toContain('| right | 1 of 3 | 1 of 3 |')
      expect(body).not.toContain('Newly')
      // With GitHub's own merge of the pull request, and when a later run of main has repaired files in the working tree.
      const head = git('rev-parse', 'HEAD').trim()
      git('checkout', '-q', 'main')
      write(dir, snippetPath, goodSnippet)
      expect(run('evaluate', { GITHUB_REF_NAME: 'main' }).stdout).toContain('its result is not stored')
      git('checkout', '-q', '--', snippetPath)
      git('checkout', '-q', '--detach')
      git('merge', '-q', '--no-ff', '-m', 'merge', head)
      run('plan', { ...onPull, AUTOTEST_HEAD: head })
      expect(state().comments[0].body).toContain('| right | 1 of 3 | 1 of 3 |')
    },
  )

  it(
    'says which commit of main is compared with: the nearest before the branch; and if there is none',
    needsBash,
    () => {
      const { dir, git, state, run } = project(drifted)
      const commit = (file: string) => {
        write(dir, file, 'text')
        git('add', file)
        git('commit', '-qm', file)
        return git('rev-parse', 'HEAD').trim()
      }
      run('evaluate', { GITHUB_REF_NAME: 'main' })
      const stored = git('rev-parse', 'HEAD').trim()
      const point = commit('one.md')
      // The main branch is repaired after the branch left it: nothing that the branch is to answer for.
      git('checkout', '-q', '-b', 'change')
      commit('two.md')
      git('checkout', '-q', 'main')
      write(dir, snippetPath, goodSnippet)
      git('commit', '-qam', 'repaired')
      run('evaluate', { GITHUB_REF_NAME: 'main' })
      git('push', '-q', 'origin', 'main')
      git('checkout', '-q', 'change')
      run('plan', onPull)
      const { body } = state().comments[0]
      expect(body).toContain(`| before repairs | main \`${stored.slice(0, 12)}\` | this |`)
      expect(body).toContain('| right | 1 of 3 | 1 of 3 |')
      expect(body).toContain(
        `\`${stored.slice(0, 12)}\` is the nearest commit with a stored result before \`${point.slice(0, 12)}\``,
      )
      rmSync(join(dir, '.autotest/base'), { recursive: true })
      run('plan', onPull)
      expect(state().comments[0].body).toContain(
        `Not compared with main: no result is stored for \`${point.slice(0, 12)}\`, which this branched from`,
      )
      // Only the last commit is fetched.
      const shallow = scratchFolder()
      git('clone', '-q', '--depth', '1', '--branch', 'change', `file://${dir}`, shallow)
      rmSync(join(dir, '.git'), { recursive: true })
      cpSync(join(shallow, '.git'), join(dir, '.git'), { recursive: true })
      run('plan', onPull)
      expect(state().comments[0].body).toContain('the commit that this branched from is not fetched')
    },
  )

  it('keeps one pull request with verified repairs, and pushes their files alone', needsBash, () => {
    const { dir, git, state, run } = project(drifted)
    write(dir, 'notes.txt', 'mine')
    for (let night = 0; night < 2; night += 1) {
      git('checkout', '-q', 'main')
      git('checkout', '-q', 'HEAD', '--', snippetPath)
      const { status, stderr } = run('repair')
      expect([status, stderr]).toEqual([0, expect.any(String)])
    }
    expect(state().pulls).toEqual([
      {
        title: expect.stringMatching(/^Repair the knowledge: gmv filter status = paid was missing/),
        body: expect.stringContaining('## Repaired'),
      },
    ])
    expect(git('diff', '--name-only', 'origin/main', 'origin/autotest/repairs').trim()).toBe(snippetPath)
    expect(git('show', `origin/autotest/repairs:${snippetPath}`)).toBe(goodSnippet)
    expect(git('show', `origin/main:${snippetPath}`)).toBe(driftedSnippet)
  })

  it(
    'does not overwrite what somebody else pushed to the branch; without repairs it pushes nothing',
    needsBash,
    () => {
      const { git, run } = project(drifted)
      git('checkout', '-q', '-b', 'autotest/repairs')
      git('commit', '-q', '--allow-empty', '-m', 'mine')
      git('push', '-q', 'origin', 'autotest/repairs')
      git('checkout', '-q', 'main')
      const result = run('repair')
      expect([result.status, result.stderr]).toEqual([1, expect.stringMatching(/has commits of others/)])
      const green = project()
      expect(green.run('repair').stdout).toContain('no repairs: nothing is pushed')
    },
  )

  it('GitLab: the merge request is made by the push', needsBash, () => {
    const { dir, remote, git, run } = project(drifted)
    execFileSync('git', ['config', 'receive.advertisePushOptions', 'true'], { cwd: remote })
    writeFileSync(join(remote, 'hooks/pre-receive'), '#!/bin/sh\nenv | grep GIT_PUSH_OPTION_ > options\n', {
      mode: 0o755,
    })
    spawnSync(
      process.execPath,
      [cli, '--no-commit', '-o', 'reports/report.json', '-o', 'reports/report.md'],
      { cwd: dir },
    )
    const result = run('repair', { GITLAB_CI: 'true', CI_DEFAULT_BRANCH: 'main' }, 'ci/push-repairs.sh')
    expect([result.status, result.stderr]).toEqual([0, ''])
    expect(readFileSync(join(remote, 'options'), 'utf8')).toMatch(
      /merge_request\.create[\s\S]*merge_request\.target=main[\s\S]*merge_request\.description=# autotest/,
    )
    git('fetch', '-q', 'origin')
    expect(git('show', `origin/autotest/repairs:${snippetPath}`)).toBe(goodSnippet)
  })

  it('a wrong mode says so', needsBash, () => {
    const result = project().run('fix')
    expect([result.status, result.stdout]).toEqual([
      2,
      expect.stringMatching(/must be evaluate, plan or repair/),
    ])
  })
})

describe('the files for other tools', () => {
  it('the GitLab template names what is in the package', () => {
    const template = parse(readFileSync('ci/gitlab.yml', 'utf8'))
    const lines = [...template.autotest.script, ...template['autotest:repair'].script].join('\n')
    const { files } = JSON.parse(readFileSync('package.json', 'utf8'))
    for (const [, file] of lines.matchAll(/node_modules\/autotest-harness\/(\S+)/g))
      expect(files).toContain(file)
  })

  it('the pre-commit hook is a command that exists', () => {
    const [hook] = parse(readFileSync('.pre-commit-hooks.yaml', 'utf8'))
    expect(hook.entry).toBe('npx --no-install autotest kb check')
    const run = (dir: string) => spawnSync(process.execPath, [cli, 'kb', 'check'], { cwd: dir }).status
    expect(run(smallProject())).toBe(0)
    expect(run(smallProject({ 'kb/metrics/gmv.yaml': 'metric: [' }))).not.toBe(0)
  })
})
