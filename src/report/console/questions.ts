import type { QuestionRecord } from '../../store/question-types.js'
import type { EditRecord, RunDetail } from '../../store/record-types.js'
import { describeChange, oneLine, sanitizeLine } from '../format-text.js'
import { heldRepair } from '../held-repair.js'
import { editLines } from './repairs.js'
import { field, paint, type Screen, wrap } from './screen-layout.js'

/** Renders repairs that people have to decide about: what was written, the cases, and both ways out. */
export function questionsLines({ questions = [], attempts }: RunDetail, screen: Screen): string[] {
  const open = questions.filter(({ answer }) => answer === undefined)
  if (open.length === 0) return []
  return [
    paint(screen, 'heading', 'Needs a decision'),
    ...open.flatMap((question, at) => [
      ...(at === 0 ? [] : ['']),
      ...questionLines(question, heldRepair(question, attempts)?.edits ?? [], screen),
    ]),
  ]
}

/** The subject of the change itself is shown with it. */
function statementsBeside(
  change: QuestionRecord['change'],
  statements: QuestionRecord['statements'],
): QuestionRecord['statements'] {
  return statements.filter(({ text, place }) => change?.subject !== text || !place.startsWith(change.by))
}

/** Shows both states of the lines that the change is about. */
function changedLines(change: QuestionRecord['change'], screen: Screen): string[] {
  const { lines } = change ?? {}
  if (lines === undefined) return []
  const texts = [...lines.before.map((line) => `- ${line}`), ...lines.after.map((line) => `+ ${line}`)]
  return [
    ...field('', oneLine(lines.path), screen),
    ...texts.map((line) => paint(screen, 'detail', `     ${sanitizeLine(line)}`)),
  ]
}

function questionLines(record: QuestionRecord, edits: readonly EditRecord[], screen: Screen): string[] {
  const { question, change, statements, cases, options } = record
  return [
    ...wrap(`? ${oneLine(question)}`, screen.width - 1, 3).map((line) =>
      paint(screen, 'repaired', ` ${line}`),
    ),
    ...(change === undefined ? [] : field('changed by', describeChange(change), screen)),
    ...changedLines(change, screen),
    ...statementsBeside(change, statements).flatMap(({ text, place }, at) =>
      field(at === 0 ? 'reason' : '', `"${oneLine(text)}" (${oneLine(place)})`, screen),
    ),
    ...cases.flatMap(({ id, changed }, at) =>
      field(
        at === 0 ? 'cases' : '',
        `${oneLine(id)}, ${changed === undefined ? 'in no commit yet' : `last changed by ${describeChange(changed)}`}`,
        screen,
      ),
    ),
    ...options.flatMap(({ answer, how }) =>
      answer === 'accept'
        ? [
            ...field('accept', `the repair is proved and held: ${oneLine(how)}`, screen),
            ...edits.flatMap((edit) => [
              ...field('', oneLine(edit.file), screen),
              ...editLines(edit, screen),
            ]),
          ]
        : field(
            answer === 'follow_knowledge' ? 'knowledge' : 'benchmark',
            `is right: ${oneLine(how)}`,
            screen,
          ),
    ),
    // To be copied: neither cut nor wrapped.
    ...cases.flatMap(({ id, answer }) =>
      answer === undefined
        ? []
        : [
            paint(screen, 'detail', `   -- ${oneLine(id)}`),
            ...answer.split('\n').map((line) => `   ${sanitizeLine(line)}`),
          ],
    ),
  ]
}
