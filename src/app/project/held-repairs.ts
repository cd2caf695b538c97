import { AutotestError } from '../../errors.js'
import type { AttemptRecord, RunDetail } from '../../store/record-types.js'

/** Returns the repairs of a run that are proved and held until a person accepts them, in the order tried. */
export function heldRepairs({ attempts, questions = [] }: RunDetail): AttemptRecord[] {
  const open = new Set(
    questions.flatMap(({ repair, answer }) => (answer === undefined ? (repair ?? []) : [])),
  )
  return attempts.filter(({ id, outcome }) => open.has(id) && outcome === 'rejected')
}

/**
 * Returns a repair that can be written by its id: one that is held, or one that a dry run planned. Throws `usage` for
 * any other.
 */
export function repairToApply(detail: RunDetail, id: string): AttemptRecord {
  const { run, attempts } = detail
  const held = heldRepairs(detail)
  const planned = run.mode === 'dry_run' ? attempts.filter(({ outcome }) => outcome === 'accepted') : []
  const repair = [...held, ...planned].find((one) => one.id === id)
  if (repair !== undefined) return repair
  const known = attempts.find((one) => one.id === id)
  const ids = [...held, ...planned].map((one) => one.id)
  const hint = ids.length === 0 ? 'It has no repair to apply.' : `It can apply ${ids.join(', ')}.`
  const why =
    known === undefined
      ? `has no repair "${id}"`
      : known.outcome === 'rejected'
        ? describeRejected(known)
        : `has ${id} in the files already, or had it`
  throw new AutotestError('usage', `run ${run.id} ${why}`, { hint })
}

/** One that was held is no longer: a person answered its question. */
function describeRejected({ id, reason = 'it was not proved' }: AttemptRecord): string {
  return reason.startsWith('held: ')
    ? `held ${id}, and its question is answered: autotest decisions shows a rejection`
    : `rejected ${id}: ${reason}`
}
