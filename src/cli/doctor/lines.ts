import { type Meaning, paint, type Screen, wrap } from '../../report/console/screen.js'
import { oneLine, plural } from '../../report/words.js'
import type { Row, Status } from './check.js'

const statusColumns = 9
const nameColumns = 17
/** Below it, what was found stands under the name of its check. */
const narrow = 60
const mostLines = 12

const meanings: Readonly<Record<Status, Meaning>> = { ok: 'good', note: 'repaired', problem: 'bad' }

/** One check for people: what was found and, below it, what mends it. */
export function rowLines({ status, name, detail, fix }: Row, screen: Screen): string[] {
  const lead = paint(screen, meanings[status], status.padEnd(statusColumns))
  const isNarrow = screen.width < narrow
  const indent = isNarrow ? 2 : statusColumns + nameColumns
  const width = screen.width - indent
  const found = detail.split('\n').flatMap((line) => wrap(oneLine(line), width, mostLines))
  const mend = fix === undefined ? [] : wrap(`→ ${oneLine(fix)}`, width, mostLines)
  const below = [...found, ...mend].map((line) => ' '.repeat(indent) + line)
  if (isNarrow) return [`${lead}${name}`, ...below]
  const [first = '', ...rest] = below
  return [`${lead}${name.padEnd(nameColumns)}${first.slice(indent)}`, ...rest]
}

/** How many lines there are of each kind; nothing else of what is well. */
export function countLine(rows: readonly Row[], screen: Screen): string {
  const count = (status: Status): number => rows.filter((row) => row.status === status).length
  const problems = count('problem')
  const notes = count('note')
  const rest = [...(notes === 0 ? [] : [plural(notes, 'note')]), `${count('ok')} ok`].join('   ')
  return problems === 0
    ? `${paint(screen, 'good', 'nothing wrong')}   ${rest}`
    : `${paint(screen, 'bad', plural(problems, 'problem'))}   ${rest}`
}

/** Every check for programs, as a JSON list. */
export function rowsJson(rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map(({ name, status, detail, fix = null }) => ({ name, status, detail, fix })),
    null,
    2,
  )
}
