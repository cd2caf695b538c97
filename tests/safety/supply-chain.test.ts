import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Component {
  readonly name: string
  readonly version: string
  readonly purl: string
}

it('the SBOM lists every package whose code is in dist/, what is installed with it, and nothing else', () => {
  execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root, stdio: 'pipe' })
  const sbom = JSON.parse(read('dist/sbom.cdx.json'))
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'autotest-harness', version: JSON.parse(read('package.json')).version } },
  })
  const components = sbom.components as readonly Component[]
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`))
  // Read from what the bundler itself says that it took.
  const licensed = [
    ...read('dist/third-party-licenses.txt').matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d\S*) \(/gm),
  ]
  expect(licensed.length).toBeGreaterThan(20)
  for (const [, name, version] of licensed) expect(listed).toContain(`${name}@${version}`)
  for (const name of ['better-sqlite3', 'web-tree-sitter', '@polyglot-sql/sdk', '@duckdb/node-api'])
    expect(components.map((each) => each.name)).toContain(name)
  for (const name of ['vitest', 'typescript', 'knip', '@biomejs/biome'])
    expect(components.map((each) => each.name)).not.toContain(name)
  for (const { name, purl } of components) expect(purl).toContain(`pkg:npm/${name.replace('@', '%40')}@`)
})

it('every Action that this project ships or shows is pinned by commit, with its version beside it', () => {
  const files = [
    'action.yml',
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ]
  const uses = files.flatMap((file) =>
    [...read(file).matchAll(/uses: *(\S+)(.*)$/gm)].map(([, name = '', rest = '']) => ({ file, name, rest })),
  )
  const others = uses.filter(({ name }) => name.includes('/') && !name.startsWith('./'))
  expect(others.length).toBeGreaterThan(10)
  for (const { file, name, rest } of others)
    expect(`${file}: ${name}${rest}`).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  const commits = new Map<string, string>()
  for (const { name, rest } of others) {
    const key = `${name.split('/').slice(0, 2).join('/').split('@')[0]}${rest}`
    const commit = name.split('@')[1] ?? ''
    expect(commits.get(key) ?? commit, key).toBe(commit)
    commits.set(key, commit)
  }
})
