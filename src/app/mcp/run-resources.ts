import { reportOf } from '../../report/json.js'
import type { RunDetail } from '../../store/record-types.js'
import { openProjectStore } from '../project/project-store.js'

const listed = 50

/** Returns the latest runs with their counts. */
export async function recentRuns(cwd: string, now: () => Date) {
  const { store } = await openProjectStore({ cwd }, now)
  try {
    return store
      .listRuns({ limit: listed })
      .map(({ id, startedAt, status, mode, total, counts, repairs }) => ({
        ...{ id, startedAt, status, mode, total, counts, repairs },
      }))
  } finally {
    store.close()
  }
}

/** Returns a run's report and the plans that it tried. Throws `run_unknown`. */
export async function readRun(
  cwd: string,
  run: string,
  now: () => Date,
): Promise<{
  readonly id: string
  readonly report: ReturnType<typeof reportOf>
  readonly attempts: RunDetail['attempts']
  readonly detail: RunDetail
}> {
  const { store } = await openProjectStore({ cwd }, now)
  try {
    const id = store.resolveRun(run)
    const detail = store.runDetail(id)
    if (detail === undefined) throw new Error(`run ${id} was resolved and has no rows`)
    return { id, report: reportOf(detail), attempts: detail.attempts, detail }
  } finally {
    store.close()
  }
}
