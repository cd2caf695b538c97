// Runs the examples of the pages about scoring on a copy of the sample project and puts what they print below them;
// with --check it only says whether the pages are up to date.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = ['docs/scoring.md', 'docs/structural-comparison.md']
const run = promisify(execFile)

/** A block that begins with `$ `; a command goes on below a line that ends in a backslash. */
const example = /```text\n(\$ (?:.*\\\n)*.*)\n[\s\S]*?```/g

const dir = await mkdtemp(join(tmpdir(), 'autotest-docs-'))
try {
  await copySample()
  await printed('autotest --no-repair --tags ads')
  for (const page of pages) await update(page)
} finally {
  await rm(dir, { recursive: true, force: true })
}

async function update(page) {
  const file = join(root, page)
  const before = await readFile(file, 'utf8')
  const outputs = new Map()
  for (const [, command] of before.matchAll(example)) {
    outputs.set(command, await printed(command.slice(2).replaceAll('\\\n', ' ')))
  }
  const text = before.replace(
    example,
    (_, command) => `\`\`\`text\n${command}\n${outputs.get(command)}\n\`\`\``,
  )
  if (!process.argv.includes('--check')) await writeFile(file, text)
  else if (before !== text) {
    process.stderr.write(`${page} is not what autotest compare prints: npm run docs\n`)
    process.exitCode = 1
  }
}

async function copySample() {
  for (const part of ['benchmarks', 'kb', 'agents', 'data', 'autotest.config.yaml']) {
    await cp(join(root, part), join(dir, part), {
      recursive: true,
      filter: (path) => !/\.duckdb(\.|$)/.test(path),
    })
  }
}

/** What a shell prints; a verdict that is no pass is no failure here. Ids of runs are made the same. */
async function printed(command) {
  const env = { ...process.env, NO_COLOR: '1' }
  const shim = `autotest() { "${process.execPath}" "${join(root, 'dist/cli/main.js')}" "$@"; }`
  const { stdout } = await run('sh', ['-c', `${shim}\n${command}`], { cwd: dir, env }).catch((error) => {
    if (error.code === 1) return error
    throw error
  })
  return stdout.trimEnd().replace(/\br-[0-9a-f]{4,}\b/g, 'r-7f3a')
}
