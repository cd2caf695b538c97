// Keeps what the main branch answers before anything is repaired, one file a commit, for pull requests to compare with:
//   node base-result.js keep COMMIT    stores reports/report.json as the result of the commit
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = '.autotest/base'
/** Results of more commits of the main branch are deleted, and further ancestors are not searched for one. */
const mostCommits = 200

/** Runs git; undefined where it fails, as for a commit that is not fetched. */
function git(...args) {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

const commitsOf = (commit) => git('rev-list', `--max-count=${mostCommits}`, commit)?.split('\n') ?? []
const fileOf = (commit) => join(folder, `${commit}.json`)

function readVerdicts(commit) {
  if (!existsSync(fileOf(commit))) return undefined
  try {
    return JSON.parse(readFileSync(fileOf(commit), 'utf8')).verdicts
  } catch {
    // A file that was cut off while it was written or restored.
    return undefined
  }
}

/** Returns the verdict of each case when it was first asked, by id: repairs of the run do not count. */
export function verdictsOf(report) {
  return Object.fromEntries(report.cases.map(({ id, baseline }) => [id, baseline]))
}

/** Stores a report as the result of a commit; cases that the run left out keep the verdicts of an earlier run of that commit. */
function keep(commit, report) {
  mkdirSync(folder, { recursive: true })
  const verdicts = { ...readVerdicts(commit), ...verdictsOf(report) }
  writeFileSync(fileOf(commit), JSON.stringify({ commit, verdicts }))
  const kept = new Set(commitsOf(commit))
  for (const name of readdirSync(folder))
    if (!kept.has(name.replace(/\.json$/, ''))) rmSync(join(folder, name), { recursive: true })
}

/**
 * Returns the commit of the main branch that HEAD is made on. GitHub checks out a merge of the pull request into the main branch: that is
 * its first parent. Otherwise it is where the branch left the main branch. Undefined where that is not fetched.
 */
export function branchPoint({ head, base }) {
  const [, first, second] = git('rev-list', '--parents', '--max-count=1', 'HEAD')?.split(' ') ?? []
  if (second !== undefined && second === head) return first
  for (const main of base) {
    const found = git('merge-base', 'HEAD', main)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the stored result of a commit, or of its nearest ancestor that has one. */
export function nearestResult(commit) {
  for (const ancestor of commitsOf(commit)) {
    const verdicts = readVerdicts(ancestor)
    if (verdicts !== undefined) return { commit: ancestor, verdicts }
  }
  return undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , action, commit = ''] = process.argv
  if (action !== 'keep' || !/^[0-9a-f]{40,64}$/.test(commit))
    throw new Error('usage: base-result.js keep COMMIT')
  keep(commit, JSON.parse(readFileSync('reports/report.json', 'utf8')))
}
