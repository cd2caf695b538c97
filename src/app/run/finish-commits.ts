import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AcceptedRepair } from '../../repair/model/repair-input.js'
import type { RunRecord } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'
import { commitGroups } from './commit-repairs.js'
import { groupByFile, pathsOf } from './repair-groups.js'
import type { SettleRequest } from './settle-request.js'

/** How many runs are looked at, newest first. */
const latestRuns = 20

/**
 * Makes the commits that a run was killed before: of repairs without a later decision whose files are as that run left
 * them. The caller holds the project's lock and was started to commit.
 */
export async function finishCommits(
  request: Pick<SettleRequest, 'root' | 'store' | 'listener' | 'signal' | 'now'>,
): Promise<void> {
  const { root, store, listener } = request
  const runs = store.listRuns({ limit: latestRuns }).filter((run) => run.root === root && wasCutOff(run))
  if (runs.length === 0) return
  const { inspectRepository } = await import('../../git/inspect-repository.js')
  const git = await inspectRepository(root)
  if (git.kind === 'none' || git.operationInProgress !== undefined) return
  for (const run of runs) {
    const all = uncommittedOf(run.id, store)
    const left = groupByFile(all.repairs).filter((group) =>
      pathsOf(group).some((path) => git.dirtyPaths.includes(path)),
    )
    const groups: AcceptedRepair[][] = []
    for (const group of left) if (await isAsWritten(pathsOf(group), root, store)) groups.push([...group])
    const accepted = groups.flat()
    // A pending decision belongs to a person, unless an interrupt caused it.
    const isLeft = run.decision === 'pending' && all.committed === 0 && run.exitCode !== 130
    if (accepted.length === 0 || isLeft) continue
    const count = accepted.length === 1 ? 'a repair' : `${accepted.length} repairs`
    listener({ kind: 'note', text: `run ${run.id} ended before it had committed ${count}: committed now` })
    const own = new Set(pathsOf(accepted))
    const decision = await commitGroups(groups, {
      ...request,
      ...{ runId: run.id, accepted, commit: 'always', decide: undefined },
      git: { ...git, dirtyPaths: git.dirtyPaths.filter((path) => !own.has(path)) },
    })
    store.setDecision(run.id, decision)
  }
}

/** Reports whether a run may have written repairs that it did not get to settle. */
function wasCutOff({ mode, decision, status }: RunRecord): boolean {
  return mode === 'repair' && status !== 'running' && (decision === 'none' || decision === 'pending')
}

/** Returns the accepted repairs of a run that are in no commit, and how many are in one. */
function uncommittedOf(
  runId: string,
  store: RunStore,
): { readonly repairs: readonly AcceptedRepair[]; readonly committed: number } {
  const attempts = (store.runDetail(runId)?.attempts ?? []).filter(({ outcome }) => outcome === 'accepted')
  const open = attempts.filter(({ commit }) => commit === undefined)
  return {
    repairs: open.map((attempt) => ({
      attempt,
      changes: store.editsOf(runId, attempt.id).map(({ path, before, after }) => ({ path, before, after })),
    })),
    committed: attempts.length - open.length,
  }
}

/** Reports whether files are as the last repair of them left them. */
async function isAsWritten(paths: readonly string[], root: string, store: RunStore): Promise<boolean> {
  for (const path of paths) {
    const after = store.writesTo(root, path)[0]?.after ?? null
    const file = join(root, path)
    const now = existsSync(file) ? await readFile(file) : null
    if ((now === null) !== (after === null)) return false
    if (now !== null && after !== null && Buffer.compare(now, after) !== 0) return false
  }
  return true
}
