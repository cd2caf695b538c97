// Messages of real commits that changed SQL, each labelled by what a careful person would do before a repair that undoes the change:
// hold it and ask, or proceed. Prints how often the rule does the same. node bench/intent-messages.js [FOLDER], after npm run build
//   FOLDER  messages-design.jsonl and messages-measure.jsonl; they are not part of this repository.
//           Default: ../shared/corpora/intent-messages
// Misses are listed of the design half only: nothing may be tuned on the other.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { explains } from './intent/explanation.js'
import { readMessage } from './intent/message.js'

const usual = fileURLToPath(new URL('../../shared/corpora/intent-messages', import.meta.url))
const folder = resolve(process.argv[2] ?? usual)
const columns = ['messages', 'held', 'a person would', 'proceeded', 'a person would', 'unclear']
const header = `${'half'.padEnd(10)}${columns.map((one) => one.padStart(16)).join('')}`

const halves = ['design', 'measure'].filter((half) => existsSync(fileOf(half)))
if (halves.length === 0) {
  console.log(`SKIPPED: no messages in ${folder}`)
} else {
  const results = halves.map((half) => ({
    half,
    messages: readFileSync(fileOf(half), 'utf8').trim().split('\n').map(judge),
  }))
  console.log(header)
  for (const { half, messages } of results) {
    const labelled = (label) => messages.filter((one) => one.label === label)
    const [hold, proceed] = [labelled('hold'), labelled('proceed')]
    const cells = [
      messages.length,
      hold.filter((one) => one.holds).length,
      hold.length,
      proceed.filter((one) => !one.holds).length,
      proceed.length,
      labelled('unclear').length,
    ]
    console.log(`${half.padEnd(10)}${cells.map((one) => String(one).padStart(16)).join('')}`)
  }
  for (const { label, holds, subject } of results.find((one) => one.half === 'design')?.messages ?? []) {
    if (label === 'hold' && !holds) console.log(`proceeds, a person would hold: ${subject}`)
    if (label === 'proceed' && holds) console.log(`holds, a person would proceed: ${subject}`)
  }
}

function fileOf(half) {
  return join(folder, `messages-${half}.jsonl`)
}

function judge(line) {
  const { commit, change, label } = readMessage(line)
  return { label, holds: explains(commit, change), subject: commit.subject }
}
