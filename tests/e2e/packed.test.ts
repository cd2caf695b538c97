import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsTar } from '../needs.js'
import { removeFolders, scratchFolder } from './sample.js'
import { smallProject } from './small-project.js'

const repository = resolve(import.meta.dirname, '../..')
const isOlderNode = Number(process.versions['napi']) < 10

afterAll(removeFolders)

describe('the packed package, unpacked beside its dependencies', needsTar, () => {
  let archive = ''
  let project = ''
  let own = ''

  beforeAll(() => {
    const dir = scratchFolder()
    // Scripts are left out, for the build is there; this is what else they make.
    execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: repository, stdio: 'pipe' })
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', dir]
    archive = join(dir, execFileSync('npm', pack, { cwd: repository, encoding: 'utf8' }).trim())
    project = smallProject()
    own = join(project, 'node_modules/autotest-harness')
    mkdirSync(own, { recursive: true })
    execFileSync('tar', ['-xzf', archive, '-C', own, '--strip-components=1'])
    for (const name of Object.keys(manifest()['dependencies'] ?? {})) {
      const scope = join(project, 'node_modules', name.split('/')[0] ?? '')
      mkdirSync(scope, { recursive: true })
      symlinkSync(join(repository, 'node_modules', name), join(project, 'node_modules', name))
    }
  })

  function manifest(): Readonly<Record<string, Readonly<Record<string, string>>>> {
    return JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'))
  }

  function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const options = { cwd: project, encoding: 'utf8', env: { ...process.env, ...env } } as const
    return spawnSync(process.execPath, args, options)
  }

  it('has few files, no source maps, no database and the licences of what it holds', () => {
    const files = readdirSync(own, { recursive: true }).map(String)
    expect(files.filter((file) => file.startsWith('dist')).length).toBeLessThan(450)
    expect(files.filter((file) => /\.map$|\.duckdb|node_modules|^src/.test(file))).toEqual([])
    const licenses = readFileSync(join(own, 'dist/third-party-licenses.txt'), 'utf8')
    for (const name of ['zod', 'yaml', 'yargs', 'openai', 'date-fns']) {
      expect(licenses).toMatch(new RegExp(`^${name} \\d.*\\n\\n[^]*?copyright`, 'im'))
    }
  })

  it.runIf(isOlderNode)('compiles SQLite at first use, and says in one sentence why it cannot', () => {
    const autotest = join(own, 'dist/cli/main.js')
    const npm = join(scratchFolder(), 'npm-cli.js')
    const nothing = { PATH: scratchFolder(), npm_execpath: npm }
    writeFileSync(npm, 'process.exit(1)')
    const failed = run([autotest, 'runs'], nothing)
    expect(failed.stderr.split('\n')).toEqual([
      expect.stringMatching(/^autotest: compiling SQLite for Node 20\.\d+\.\d+, this once; /),
      expect.stringMatching(
        /^autotest: SQLite could not be compiled .*: python3, make, g\+\+ are missing; install them/,
      ),
      '',
    ])
    expect(failed.status).toBe(2)
    writeFileSync(npm, 'process.exit(0)')
    const ignored = run([autotest, 'runs'], nothing)
    expect(ignored.stderr).toMatch(/npm is set to ignore scripts: run `node "[^"]+install-sqlite\.js"`/)
    expect(ignored.status).toBe(2)
    expect(run([autotest, '--help'], nothing)).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(join(own, 'sqlite12')).sort()).toEqual(['package-lock.json', 'package.json'])
    const program = "import { run } from 'autotest-harness'; await run()"
    const library = run(['--input-type=module', '--eval', program], nothing)
    expect(library.stderr).toMatch(/SQLite cannot be loaded by Node 20\.\d+\.\d+: it is not compiled yet/)
  })

  it('runs as a program and as a library', () => {
    if (isOlderNode) cpSync(join(repository, 'sqlite12'), join(own, 'sqlite12'), { recursive: true })
    const program = run([join(own, 'dist/cli/main.js')])
    expect(program.stderr).toBe('')
    expect(program.status).toBe(0)
    const library = run([
      '--input-type=module',
      '--eval',
      `import { AutotestError, loadBenchmark, run } from 'autotest-harness'
       const { cases } = await loadBenchmark({ paths: ['benchmarks'] })
       const { exitCode, report } = await run()
       const refused = await loadBenchmark({ paths: ['none'] }).catch((error) => error instanceof AutotestError)
       console.log(cases.length, exitCode, report.summary.passed, refused)`,
    ])
    expect(library.stderr).toBe('')
    expect(library.stdout.trim()).toBe('3 0 3 true')
  })

  it('has types that need no other package, checked with its libraries', () => {
    writeFileSync(
      join(project, 'user.mts'),
      `import { type CaseRecord, loadBenchmark, run } from 'autotest-harness'
       const { cases } = await loadBenchmark({ paths: ['benchmarks'] })
       const { detail, report } = await run({ mode: 'evaluate', signal: new AbortController().signal })
       const first: CaseRecord | undefined = detail.cases[0]
       const words: string = \`\${cases[0]?.expectedSql} \${first?.outcome} \${report.cases[0]?.reason}\`
       // @ts-expect-error a number is no text: the types are there, and are no any
       const wrong: number = report.run.engine
       export { words, wrong }`,
    )
    const compiler = join(repository, 'node_modules/typescript/bin/tsc')
    const types = join(repository, 'node_modules/@types')
    const strict = ['--strict', '--skipLibCheck', 'false', '--exactOptionalPropertyTypes']
    const modules = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023', '--noEmit']
    const checked = run([
      compiler,
      ...strict,
      ...modules,
      '--typeRoots',
      types,
      '--types',
      'node',
      'user.mts',
    ])
    expect(checked.stdout).toBe('')
    expect(checked.status).toBe(0)
  })

  it('is installed and run by npm, pnpm and Yarn', ({ skip }) => {
    const node = process.versions.node.split('.')[0] ?? ''
    const script = join(repository, 'scripts/packed-install.js')
    const certificates = process.env['AUTOTEST_EXTRA_CA_CERTS']
    const given = certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }
    const { stdout, status } = run(
      [script, '--packed', archive, '--compiled', '--no-demo', '--node', node],
      given,
    )
    const skipped = stdout.split('\n').find((line) => line.startsWith('SKIPPED'))
    if (skipped !== undefined) skip(skipped)
    expect(stdout).toMatch(/^3 passed, 0 failed$/m)
    expect(status).toBe(0)
  }, 900_000)
})

describe('a Node that is too old', () => {
  const entry = join(repository, 'dist/cli/main.js')

  it('is told so in one sentence, by a file without imports that any Node reads', () => {
    expect(readFileSync(entry, 'utf8')).not.toMatch(/^\s*import[\s{]|\bawait\b|\?\.|\?\?/m)
    for (const [version, refused] of [
      ['16.20.2', true],
      ['20.18.3', true],
      ['20.19.0', false],
      ['99.0.0', false],
    ] as const) {
      const program = `
        Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })
        process.argv = [process.argv[0], '', '--help']
        await import(${JSON.stringify(pathToFileURL(entry).href)})`
      const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
        encoding: 'utf8',
      })
      expect(stderr).toBe(
        refused
          ? `autotest needs Node 20.19, or 22 and newer, and this is Node ${version}: install a newer one and run it again.\n`
          : '',
      )
      expect(status).toBe(refused ? 2 : 0)
    }
  })
})
