// What a night was worth.
import { pathsOf } from './apply-event.js'

const isGreen = ({ baseline, outcome }) =>
  baseline === 'pass' || outcome === 'repaired' || outcome === 'passed'

/**
 * @param open events that are neither repaired nor closed, of this night and of earlier ones
 * @param changed paths that the run changed; `undone` of them are those in which it brought back what a purpose had removed
 */
export function judgeNight({ number, run, open, changed, undone, otherWords, isBusy }) {
  const remarks = []
  if (isBusy)
    remarks.push(`busy: exit ${run.code}, ${run.cases.length} cases, ${countPassed(run)} of them passed`)
  const drifts = open.filter((event) => event.kind === 'drift')
  const drifted = new Set(drifts.flatMap(pathsOf))
  const wrong = changed.filter((path) => !drifted.has(path) || undone.includes(path))
  for (const path of wrong) remarks.push(`WRONG WRITE ${path}`)
  const red = run.cases.filter((one) => !isGreen(one)).map((one) => one.id)
  const explained = new Set(open.flatMap((event) => event.cases ?? []))
  const unexplained = isBusy ? [] : red.filter((id) => !explained.has(id))
  const isRed = red.length > 0 || run.code !== 0
  const isRedWithoutCause =
    !isBusy && isRed && (unexplained.length > 0 || red.length === 0 || run.cases.length === 0)
  if (isRedWithoutCause)
    remarks.push(`RED WITHOUT A CAUSE, exit ${run.code}: ${unexplained.join(' ') || run.words.slice(-400)}`)
  const repaired = isBusy ? [] : drifts.filter((event) => event.cases.every((id) => isGreenId(run, id)))
  let repairedInANight = 0
  for (const event of drifts) {
    if (isBusy) continue
    const isFirst = event.tried === undefined
    event.tried = number
    if (repaired.includes(event) && isFirst) repairedInANight++
    if (!repaired.includes(event)) remarks.push(`drift ${event.id} is left: ${labelsOf(run, event)}`)
  }
  for (const event of isBusy ? [] : open) {
    const begun = event.cases?.filter((id) => caseOf(run, id)?.baseline === 'pass') ?? []
    if (begun.length > 0) remarks.push(`script: ${event.id} does not fail ${begun.join(' ')}`)
  }
  let held = 0
  for (const event of open) {
    if (event.kind !== 'purpose-with-words' || event.night !== number) continue
    const isHeld = event.cases.every((id) => caseOf(run, id)?.label === 'conflicting_intent')
    if (isHeld && !pathsOf(event).some((path) => changed.includes(path))) held++
    else remarks.push(`purpose ${event.id} is not held: ${labelsOf(run, event)}`)
  }
  for (const path of otherWords) remarks.push(`in other words than before: ${path}`)
  return {
    number,
    remarks,
    wrong,
    repaired,
    wrongWrites: wrong.length,
    isRedWithoutCause,
    repairedInANight,
    inOtherWords: otherWords.length,
    held,
  }
}

const countPassed = ({ cases }) => cases.filter(isGreen).length

const caseOf = (run, id) => run.cases.find((one) => one.id === id)

function isGreenId(run, id) {
  const found = caseOf(run, id)
  return found !== undefined && isGreen(found)
}

function labelsOf(run, { cases }) {
  return [
    ...new Set(cases.map((id) => caseOf(run, id)?.label ?? caseOf(run, id)?.outcome ?? 'not run')),
  ].join(' ')
}
