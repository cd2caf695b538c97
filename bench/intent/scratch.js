// Writes a history as a git repository.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const dayMs = 86_400_000
// Git tells what happened within a year: commits are as old as those of a team that repairs every month.
const firstDay = Date.now() - 30 * dayMs

/** Makes the repository in `root` and returns the id of its last commit. */
export function writeHistory(root, files, { change, before, commit, after, merge }) {
  const repository = openRepository(root)
  const knowledge = Object.entries(files).filter(([path]) => !path.startsWith('benchmarks/'))
  const benchmark = Object.entries(files).filter(([path]) => path.startsWith('benchmarks/'))
  let now = {}
  const add = (edits, message) => {
    // A commit needs an edit.
    const written = Object.keys(edits).length > 0 ? edits : { 'README.md': `${now['README.md'] ?? ''}\n` }
    now = { ...now, ...written }
    repository.commit(written, message.replaceAll('{file}', basename(change.file)))
  }
  add(Object.fromEntries(knowledge), 'Import the knowledge base')
  add(Object.fromEntries(benchmark), 'Import the benchmark')
  if (before !== undefined) add(editsOf(before, change, now), before.message)
  if (merge !== undefined) repository.git('checkout', '-q', '-b', 'topic')
  const changed = changedFiles(now, change)
  add({ ...changed, ...editsOf(commit, change, { ...now, ...changed }) }, commit.message)
  if (merge !== undefined) {
    repository.git('checkout', '-q', 'main')
    repository.git('merge', '-q', '--no-ff', '-m', merge, 'topic')
  }
  if (after !== undefined) add(editsOf(after, change, now), after.message)
  return repository.git('rev-parse', 'HEAD').trim()
}

/** The same knowledge without any words, and without git. */
export function writeSilently(root, files, change) {
  write(root, { ...files, ...changedFiles(files, change) })
}

/** The files that the change itself edits: path → text. */
function changedFiles(files, { file, from, to, also = {} }) {
  const edits = { [file]: replaced(files[file], from, to) }
  for (const [path, [old, text]] of Object.entries(also)) edits[path] = replaced(files[path], old, text)
  return edits
}

/**
 * What a commit adds besides the change: `note` to the notes, `comment` above the snippet, `comment_on` other snippets,
 * `title` and `description` in the metric's file, `readme` outside the knowledge base; `touch` adds an empty line to a file.
 */
function editsOf(words, change, files) {
  const { note, comment, comment_on: others = {}, title, description, readme, touch } = words
  const edits = {}
  const edit = (path, alter) => {
    edits[path] = alter(edits[path] ?? files[path] ?? '')
  }
  const name = basename(change.file).replace(/\.\w+$/, '')
  const metric = `kb/metrics/${name}.yaml`
  if (note !== undefined) edit('kb/notes/definitions.md', (text) => `${text || '# Definitions\n'}\n${note}\n`)
  const comments = comment === undefined ? others : { [`kb/snippets/${name}.sql`]: comment, ...others }
  for (const [path, line] of Object.entries(comments)) edit(path, (text) => `-- ${line}\n${text}`)
  if (title !== undefined)
    edit(metric, (text) => text.replace(/^title: .*$/m, `title: ${JSON.stringify(title)}`))
  if (description !== undefined)
    edit(metric, (text) => text.replace(/^(title: .*)$/m, `$1\n# ${description}`))
  if (readme !== undefined) edit('README.md', (text) => `${text}\n${readme}\n`)
  if (touch !== undefined) edit(touch, (text) => `${text}\n`)
  return edits
}

function replaced(text, from, to) {
  if (text?.split(from).length !== 2) throw new Error(`not exactly once in the file: ${from}`)
  return text.replace(from, () => to)
}

/** Commits are a day apart, by one author. */
function openRepository(root) {
  mkdirSync(root, { recursive: true })
  let day = 0
  const git = (...args) => {
    const date = new Date(firstDay + day * dayMs).toISOString()
    const person = { NAME: 'Ana', EMAIL: 'ana@example.com', DATE: date }
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
    for (const [key, value] of Object.entries(person))
      Object.assign(env, { [`GIT_AUTHOR_${key}`]: value, [`GIT_COMMITTER_${key}`]: value })
    return execFileSync('git', args, { cwd: root, env, encoding: 'utf8' })
  }
  git('init', '-q', '-b', 'main')
  const commit = (files, message) => {
    write(root, files)
    git('add', '-A')
    day++
    git('commit', '-q', '-m', message)
  }
  return { git, commit }
}

function write(root, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
