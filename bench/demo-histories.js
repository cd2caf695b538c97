// The demo's drifts in every form of history that a repository may have, each repaired by the built command line. A form is right
// if all drifts that can be repaired are: what git does not show must hold nothing. Exits with 1 otherwise.
// node bench/demo-histories.js [FORM ...], after npm run build
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlSample } from '../build/modules/app/demo/copy-sample.js'
import { prepareDemo } from '../build/modules/app/demo/prepare-demo.js'
import { measure } from './measure.js'

const [repairable, wrong] = [23, 25]
const scratch = mkdtempSync(join(tmpdir(), 'autotest-histories-'))
const source = join(scratch, 'source')
await prepareDemo(sqlSample, source, scratch)

const forms = {
  'full history': () => undefined,
  'one commit': (git) => restart(git, 'Initial commit'),
  'depth 1': (_git, folder) => {
    rmSync(folder, { recursive: true })
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${source}`, folder])
  },
  'squashed with the drift': (git) => {
    git('reset', '--quiet', '--soft', git('rev-list', '--max-parents=0', 'HEAD').trim())
    git('commit', '--quiet', '--amend', '--message=Sample project, with the changes of this week (data team)')
  },
  rebased: (git) => {
    git('checkout', '--quiet', '--orphan', 'other')
    git('rm', '--quiet', '-r', '--cached', '.')
    git('commit', '--quiet', '--allow-empty', '--message=Another start')
    git('checkout', '--quiet', '--force', 'main')
    git('rebase', '--quiet', '--onto', 'other', '--root')
  },
  'without git': (_git, folder) => rmSync(join(folder, '.git'), { recursive: true }),
}

let isRight = true
const asked = process.argv.slice(2)
for (const [form, prepare] of Object.entries(forms)) {
  if (asked.length > 0 && !asked.includes(form)) continue
  const folder = join(scratch, form.replaceAll(' ', '-'))
  cpSync(source, folder, { recursive: true })
  const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  prepare(git, folder)
  const { code, seconds } = await measure(['--yes', '-o', 'out.json'], folder)
  const { summary, questions } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'))
  isRight &&= summary.repaired >= repairable
  const counts = `${summary.repaired} of ${wrong} repaired, ${questions.length} held`
  console.log(`${form.padEnd(26)}${counts}, exit ${code}, ${seconds.toFixed(1)} s`)
}
rmSync(scratch, { recursive: true, force: true })
process.exitCode = isRight ? 0 : 1

function restart(git, message) {
  git('checkout', '--quiet', '--orphan', 'other')
  git('add', '--all')
  git('commit', '--quiet', `--message=${message}`)
}
