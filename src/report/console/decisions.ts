import type { RejectedRepair } from '../../contracts/rejected-repair.js'
import { oneLine } from '../format-text.js'
import { field, paint, type Screen, wrap } from './screen-layout.js'

/** Renders a repair that a person rejected: what, why, by whom. */
export function decisionLines(
  { id, repair, entry, reason, date, by, run, cases, files }: RejectedRepair,
  screen: Screen,
): string[] {
  return [
    ...wrap(`${id}  ${oneLine(repair)}`, screen.width, 3).map((line) => paint(screen, 'heading', line)),
    ...field('rejected', `on ${date} by ${oneLine(by)}: ${oneLine(reason)}`, screen),
    ...field('about', `${oneLine(entry)}: ${files.map(({ path }) => oneLine(path)).join(', ')}`, screen),
    ...field('cases', `${[...cases.keys()].map(oneLine).join(', ')} (run ${oneLine(run)})`, screen),
  ]
}
