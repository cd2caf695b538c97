// Writes docs/cli.md from the --help of every command; with --check it only says whether the file is up to date.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const page = new URL('../docs/cli.md', import.meta.url)
const run = promisify(execFile)

/** The help of a command and, below it, of the commands it lists. */
async function sections(command) {
  const { stdout } = await run(process.execPath, [cli, ...command, '--help'])
  const name = ['autotest', ...command].join(' ')
  const listed = /^Commands:\n((?: {2}.*\n)+)/m.exec(stdout)?.[1] ?? ''
  const below =
    command.length === 0
      ? [...stdout.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, each]) => each ?? '')
      : listed
          .split('\n')
          .flatMap((line) =>
            line.startsWith(`  ${name} `) ? [line.slice(name.length + 3).split(/\s/)[0] ?? ''] : [],
          )
  const parts = await Promise.all(below.map((sub) => sections([...command, sub])))
  return [`## ${name}\n\n\`\`\`text\n${stdout.trim()}\n\`\`\`\n`, ...parts.flat()]
}

const intro =
  '# The command line\n\nWhat `--help` says, command by command. Made by `npm run docs`; do not edit.\n'
const [first = '', ...others] = await sections([])
const { stdout: ofRun } = await run(process.execPath, [cli, 'help', 'run'])
const runSection = `## autotest help run\n\n\`\`\`text\n${ofRun.trim()}\n\`\`\`\n`
const text = [intro, first, runSection, ...others].join('\n')
if (!process.argv.includes('--check')) await writeFile(page, text)
else if ((await readFile(page, 'utf8')) !== text) {
  process.stderr.write('docs/cli.md is not what --help says: npm run docs\n')
  process.exitCode = 1
}
