// The repository of a project: commits of several authors on given days, and what a run changed.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const dayMs = 86_400_000
// Git is asked for a year: the first night is a little younger.
const firstDay = Date.now() - 355 * dayMs

/** The moment of a night, or of a commit before it, as git and its environment take it. */
function moment(night, hour) {
  return new Date(firstDay + (night - 1) * 12 * dayMs + hour * 3_600_000).toISOString()
}

/** Environment of a program that commits as `name` before or, without an hour, in a night. */
export function authorOf(name, night, hour = 23) {
  const person = { NAME: name, EMAIL: `${name}@example.com`, DATE: moment(night, hour) }
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  for (const [key, value] of Object.entries(person))
    Object.assign(env, { [`GIT_AUTHOR_${key}`]: value, [`GIT_COMMITTER_${key}`]: value })
  return env
}

export function openRepository(root) {
  const git = (args, env = process.env) => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' })
  writeFileSync(join(root, '.gitignore'), 'reports/\n.autotest/\ndata/*.duckdb*\ndata/*.sqlite*\n')
  git(['init', '-q', '-b', 'main'])
  return {
    head: () => git(['rev-parse', 'HEAD']).trim(),
    /** Commits everything; does nothing where nothing changed. */
    commit(message, author, night, hour) {
      git(['add', '-A'])
      if (git(['status', '--porcelain']) === '') return
      git(['commit', '-q', '-m', message], authorOf(author, night, hour))
    },
    /** Paths that differ from a commit, in later commits or in the folder. */
    changedSince(commit) {
      git(['add', '-A', '--intent-to-add'])
      return git(['diff', '--name-only', '--no-renames', commit])
        .split('\n')
        .filter((path) => path !== '')
    },
    textAt: (commit, path) => git(['show', `${commit}:${path}`]),
    restore: (commit, path) => git(['checkout', '-q', commit, '--', path]),
    isDirty: () => git(['status', '--porcelain']) !== '',
  }
}

/** The files of a project in a folder, as one set of texts that events are applied to. */
export function openFolder(root) {
  return {
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined),
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    rename(from, to) {
      mkdirSync(dirname(join(root, to)), { recursive: true })
      renameSync(join(root, from), join(root, to))
    },
  }
}

/** The same on texts in memory: what people intend. */
export function openTexts() {
  const texts = new Map()
  return {
    read: (path) => texts.get(path),
    write: (path, text) => texts.set(path, text),
    rename(from, to) {
      texts.set(to, texts.get(from))
      texts.delete(from)
    },
  }
}
