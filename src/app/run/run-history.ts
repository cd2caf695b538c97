import type { RunHistory } from '../../report/html/page-data.js'
import type { RunDetail } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'

/** How many runs a report's trend shows, and how many are looked through for them. */
const shown = 60
const listed = 1000

/** Returns the earlier runs of the same project, and the last one of them with its cases. */
export function runHistory(store: RunStore, { run }: RunDetail): RunHistory {
  const runs = store
    .listRuns({ limit: listed })
    .filter(
      ({ id, root, startedAt, total }) =>
        id === run.id || (root === run.root && startedAt < run.startedAt && total > 0),
    )
    .slice(0, shown)
    .reverse()
  const before = runs.findLast(
    ({ id, agent, status }) => id !== run.id && agent === run.agent && status !== 'running',
  )
  return {
    runs: runs.map(({ id, startedAt, total, counts }) => ({ id, startedAt, total, counts })),
    before: before === undefined ? undefined : store.runDetail(before.id),
  }
}
