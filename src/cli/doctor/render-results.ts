import type { CheckResult, CheckStatus } from '../../app/doctor/check.js'
import { paint, type Screen, type SemanticStyle, wrap } from '../../report/console/screen-layout.js'
import { oneLine, plural } from '../../report/format-text.js'
import { jsonText } from '../../text/escape.js'

const statusColumns = 9
const nameColumns = 17
/** In a narrower terminal, the finding is below the name of its check. */
const narrow = 60
const maxLines = 12

const meanings: Readonly<Record<CheckStatus, SemanticStyle>> = {
  ok: 'good',
  note: 'repaired',
  problem: 'bad',
}

/** Renders one check for people: the finding and, below it, the fix. */
export function checkResultLines({ status, name, detail, fix }: CheckResult, screen: Screen): string[] {
  const lead = paint(screen, meanings[status], status.padEnd(statusColumns))
  const isNarrow = screen.width < narrow
  const indent = isNarrow ? 2 : statusColumns + nameColumns
  const width = screen.width - indent
  const found = detail.split('\n').flatMap((line) => wrap(oneLine(line), width, maxLines))
  const mend = fix === undefined ? [] : wrap(`→ ${oneLine(fix)}`, width, maxLines)
  const below = [...found, ...mend].map((line) => ' '.repeat(indent) + line)
  if (isNarrow) return [`${lead}${name}`, ...below]
  const [first = '', ...rest] = below
  return [`${lead}${name.padEnd(nameColumns)}${first.slice(indent)}`, ...rest]
}

/** Returns one line with the numbers of problems, notes and passed checks. */
export function checkCountLine(rows: readonly CheckResult[], screen: Screen): string {
  const count = (status: CheckStatus): number => rows.filter((row) => row.status === status).length
  const problems = count('problem')
  const notes = count('note')
  const rest = [...(notes === 0 ? [] : [plural(notes, 'note')]), `${count('ok')} ok`].join('   ')
  return problems === 0
    ? `${paint(screen, 'good', 'no problems')}   ${rest}`
    : `${paint(screen, 'bad', plural(problems, 'problem'))}   ${rest}`
}

/** Returns every check for programs, as a JSON list. */
export function checkResultsJson(rows: readonly CheckResult[]): string {
  return jsonText(
    rows.map(({ name, status, detail, fix = null }) => ({ name, status, detail, fix })),
    2,
  )
}
