// What roles are wrongly refused: new files of public commits, each judged as the role that it fits, on the state before its commit.
// node bench/role-writes.js COMMITS REPOSITORY... (git folders; histories are read, nothing of them is kept but counts)
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { build } from 'rolldown'

const modules = mkdtempSync(join(tmpdir(), 'autotest-role-modules-'))
await build({
  cwd: process.cwd(),
  platform: 'node',
  input: {
    names: 'src/app/roles/shadowed-names.ts',
    writes: 'src/roles/may-write.ts',
    roles: 'src/roles/role.ts',
  },
  output: { dir: modules, format: 'esm' },
  logLevel: 'silent',
})
const { shadowedNames } = await import(join(modules, 'names.js'))
const { judgeWrite } = await import(join(modules, 'writes.js'))
const { refusedByDefault } = await import(join(modules, 'roles.js'))
const [count = '40', ...repositories] = process.argv.slice(2)
const git = (folder, ...args) =>
  execFileSync('git', ['-C', folder, ...args], {
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'ignore'],
  })

/** Returns the role that a file fits by the layout of its project; undefined for what no role writes. */
function fittingRole(path, packages) {
  const [top] = path.split('/')
  const isTest = /^(?:tests?|testing)$/.test(top) || /(?:^|\/)test_[^/]*\.py$|_test\.py$/.test(path)
  const mode = isTest ? 'forward synthesis (tests)' : 'forward synthesis (code)'
  if (
    !path.includes('/') ||
    (!isTest && !packages.has(top)) ||
    path.split('/').some((part) => part.startsWith('.'))
  )
    return undefined
  return {
    ...{ name: isTest ? 'test-writer' : 'coder', description: '', aliases: [], mode, prompt: '' },
    ...{ writes: [`${top}/**`], refuses: refusedByDefault(mode), tools: [], deniedTools: [] },
  }
}

const findShadowed = shadowedNames({ python: undefined, env: process.env })
const totals = { commits: 0, files: 0, allow: 0, ask: 0, refuse: 0, unfitting: 0 }
for (const repository of repositories) {
  const clone = mkdtempSync(join(tmpdir(), 'autotest-role-writes-'))
  const counts = { commits: 0, files: 0, allow: 0, ask: 0, refuse: 0, unfitting: 0 }
  try {
    git(clone, 'clone', '-q', '--shared', '--no-checkout', repository, 'files')
    const root = join(clone, 'files')
    const commits = git(root, 'log', '--no-merges', '--diff-filter=A', '--format=%H %P', '--', '*.py')
    for (const line of commits.split('\n').slice(0, Number(count))) {
      const [commit, parent] = line.split(' ')
      if (parent === undefined || parent === '') continue
      const added = git(root, 'diff', '--name-only', '--diff-filter=A', '--no-renames', parent, commit).split(
        '\n',
      )
      const files = added.filter((path) => path !== '')
      git(root, 'checkout', '-q', '-f', parent)
      const folders = git(root, 'ls-tree', '-r', '--name-only', parent).split('\n')
      const packages = new Set([
        'src',
        ...folders.filter((path) => /^[^/]+\/__init__\.py$/.test(path)).map((path) => dirname(path)),
      ])
      counts.commits += 1
      for (const path of files) {
        const role = fittingRole(path, packages)
        if (role === undefined) {
          counts.unfitting += 1
          continue
        }
        const judged = await judgeWrite(role, { root, path, findShadowed, made: new Set(added) })
        counts.files += 1
        counts[judged?.kind ?? 'allow'] += 1
        if (judged !== undefined)
          console.log(
            `${judged.kind} ${basename(dirname(repository))} ${commit.slice(0, 8)} ${path}: ${judged.reason}`,
          )
      }
    }
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
  console.log(basename(dirname(repository)), JSON.stringify(counts))
  for (const key of Object.keys(totals)) totals[key] += counts[key]
}
console.log('all', JSON.stringify(totals))
