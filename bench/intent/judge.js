// Runs the command line on a history and tells what it did.
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

const label = 'conflicting_intent'
const run = promisify(execFile)
// Repairs are commits, and these need an author.
const author = { GIT_AUTHOR_NAME: 'autotest', GIT_AUTHOR_EMAIL: 'autotest@example.com' }
const committer = { GIT_COMMITTER_NAME: 'autotest', GIT_COMMITTER_EMAIL: 'autotest@example.com' }

/**
 * `outcome` is one of
 * - `repaired`: files were written, and every case passes then
 * - `written`: files were written, and a case fails all the same
 * - `held`: nothing was written, all that fails has the label, a question is asked, and the exit code is 1
 * - `other`: nothing was written, for another reason or with only a part of what `held` requires
 *
 * @param lastCommit undefined without git
 */
export async function tryRun(cli, root, lastCommit) {
  const report = `${root}.json`
  const code = await exitCode(cli, ['--yes', '-o', report], root)
  const { summary, cases, questions = [] } = JSON.parse(readFileSync(report, 'utf8'))
  const failing = cases.filter((one) => one.baseline !== 'pass')
  const labels = failing.map((one) => one.label ?? one.outcome)
  const asked = questions.filter((one) => one.kind === label).length
  const isWritten = summary.repairs > 0 || (lastCommit !== undefined && hasNews(root, lastCommit))
  const why = `exit ${code}, ${summary.repairs} repairs, ${asked} asked, ${[...new Set(labels)].join(' ') || 'no failure'}`
  if (isWritten)
    return { outcome: failing.every((one) => one.outcome === 'repaired') ? 'repaired' : 'written', why }
  const isHeld = code === 1 && asked > 0 && labels.every((one) => one === label)
  return { outcome: isHeld ? 'held' : 'other', why }
}

async function exitCode(cli, args, cwd) {
  try {
    await run(process.execPath, [cli, ...args], { cwd, env: { ...process.env, ...author, ...committer } })
    return 0
  } catch (error) {
    if (error.code !== 1) throw error
    return 1
  }
}

function hasNews(root, lastCommit) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  return git('rev-parse', 'HEAD') !== lastCommit || git('status', '--porcelain') !== ''
}
