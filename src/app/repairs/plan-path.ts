import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AutotestError } from '../../errors.js'
import type { RunDetail } from '../../store/record-types.js'
import type { ProjectStore } from '../project/project-store.js'
import { runFolder } from '../project/run-folder.js'

/** Returns the path of a dry run's plan; throws `usage` for a run that made none. */
export function planPathOf(runId: string, { config, store }: ProjectStore): string {
  const path = join(runFolder({ config }, runId), 'plan.json')
  const detail = existsSync(path) ? undefined : store.runDetail(runId)
  if (detail !== undefined) refuseWithoutPlan(detail)
  return path
}

function refuseWithoutPlan({ run, attempts }: RunDetail): void {
  const { id, mode } = run
  const has = attempts.some(({ outcome }) => outcome === 'accepted')
  if (mode === 'dry_run' && has) return
  const why = {
    dry_run: 'has no verified repair',
    evaluate: 'is not a dry run: it only evaluated',
    repair: has
      ? 'is not a dry run: its repairs are already in the files'
      : 'is not a dry run, and repaired nothing',
  }
  const next =
    mode === 'repair' && has
      ? `autotest runs show ${id} shows its repairs, autotest revert ${id} reverts them.`
      : mode === 'dry_run'
        ? `autotest runs show ${id} shows what was tried.`
        : 'autotest --dry-run creates a plan.'
  throw new AutotestError('usage', `run ${id} ${why[mode]}; there is nothing to apply`, { hint: next })
}
