import type { CommitOutcome } from '../../git/commit.js'
import type { CommitRefusal } from '../../git/commit-readiness.js'
import type { GitState, NoRepository, Repository } from '../../git/inspect-repository.js'
import type { AcceptedRepair } from '../../repair/model/repair-input.js'
import type { Decision } from '../../store/record-types.js'
import { commitMessage } from './commit-message.js'
import { pathsOf, type RepairGroup, titleOf } from './repair-groups.js'
import type { SettleRequest } from './settle-request.js'
import type { CommitPreview } from './settlement-events.js'

/** Commits each group separately, and reports what was refused and why. */
export async function commitGroups(
  groups: readonly RepairGroup[],
  request: SettleRequest,
): Promise<Decision> {
  const { listener, git } = request
  if (git.kind === 'none') {
    listener({ kind: 'no_repository', reason: noRepositoryReason(git), hint: git.hint, runId: request.runId })
    // Where there is no repository, the working tree is all that they can be kept in.
    return git.isBroken === true ? 'pending' : 'kept'
  }
  const refusals: { readonly group: RepairGroup; readonly refusal: CommitRefusal }[] = []
  for (const group of groups) {
    if (request.signal?.aborted) {
      const hint = 'The edits stay in the working tree, uncommitted.'
      refusals.push({ group, refusal: { kind: 'refused', reason: 'the run was interrupted', hint } })
      continue
    }
    const outcome = await commitGroup(group, git, request)
    if (outcome.kind === 'refused') refusals.push({ group, refusal: outcome })
  }
  if (refusals.length === 0) return 'committed'
  announceRefusals(refusals, groups.length, request)
  announceUncommitted(
    refusals.flatMap(({ group }) => group),
    request,
  )
  return 'pending'
}

async function commitGroup(
  group: RepairGroup,
  git: Repository,
  { root, runId, store, listener }: SettleRequest,
): Promise<CommitOutcome> {
  const paths = pathsOf(group)
  const [{ commitRepair }, { describeHistoryGap, historyGap }] = await Promise.all([
    import('../../git/commit.js'),
    import('../../git/history-gap.js'),
  ])
  const gap = await historyGap(root, '.')
  const message = commitMessage(group, runId)
  const body = gap === undefined ? message.body : `${message.body}\n\nNote: ${describeHistoryGap(gap)}`
  const outcome = refuseDirtyPaths(paths, git) ?? (await commitRepair(root, { paths, ...message, body }))
  if (outcome.kind === 'refused') return outcome
  const { hash, warning } = outcome
  for (const { attempt } of group) store.updateAttempt(runId, attempt.id, { commit: hash })
  listener({ kind: 'repair_committed', hash, title: titleOf(group), warning })
  return outcome
}

/** Reports a reason shared by all repairs once, other reasons with the titles of their repairs. */
function announceRefusals(
  refusals: readonly { readonly group: RepairGroup; readonly refusal: CommitRefusal }[],
  groups: number,
  { listener }: SettleRequest,
): void {
  const byWords = new Map<string, { readonly refusal: CommitRefusal; readonly titles: string[] }>()
  for (const { group, refusal } of refusals) {
    const words = `${refusal.reason}\n${refusal.hint}`
    const alike = byWords.get(words) ?? { refusal, titles: [] }
    alike.titles.push(titleOf(group))
    byWords.set(words, alike)
  }
  for (const { refusal, titles } of byWords.values()) {
    const { reason, hint } = refusal
    listener({ kind: 'commit_refused', titles: titles.length === groups ? undefined : titles, reason, hint })
  }
}

/**
 * Reports what remains in the working tree for a person to decide.
 *
 * @param left those of the run's repairs that are neither committed nor reverted
 */
export function announceUncommitted(
  left: readonly AcceptedRepair[],
  { listener, runId, accepted }: Pick<SettleRequest, 'listener' | 'runId' | 'accepted'>,
  preview?: CommitPreview,
): void {
  const [only] = left
  listener({
    kind: 'repairs_uncommitted',
    runId,
    repairs: left.length,
    paths: pathsOf(left),
    // Committed repairs are not undone with the rest.
    repairId: left.length === 1 && accepted.length > 1 ? only?.attempt.id : undefined,
    preview,
  })
}

/**
 * Returns the repairs that can be committed now: none during a merge or in a submodule. Undefined without a
 * repository.
 */
export async function previewCommit(
  groups: readonly RepairGroup[],
  { root, git }: SettleRequest,
): Promise<CommitPreview | undefined> {
  if (git.kind === 'none') return undefined
  const { prepareReadinessCheck } = await import('../../git/commit-readiness.js')
  const isReady = await prepareReadinessCheck(root, pathsOf(groups.flat()))
  let committable = 0
  const reasons = new Set<string>()
  for (const group of groups) {
    const paths = pathsOf(group)
    const ready = refuseDirtyPaths(paths, git) ?? (await isReady(paths))
    if (ready.kind === 'ready') committable += group.length
    else reasons.add(ready.reason)
  }
  const [reason] = reasons
  return { committable, reason }
}

/** Reports files that a commit would include with uncommitted changes of the user. */
function refuseDirtyPaths(
  paths: readonly string[],
  { dirtyPaths, isUnborn }: Repository,
): CommitRefusal | undefined {
  if (isUnborn)
    return {
      kind: 'refused',
      reason: 'the git repository has no commit yet',
      hint: 'The repair is in the working tree; it will be part of your first commit.',
    }
  const dirty = paths.filter((path) => dirtyPaths.includes(path))
  if (dirty.length === 0) return undefined
  return {
    kind: 'refused',
    reason: `${dirty.join(', ')} had uncommitted changes before this run`,
    hint: 'The repair is in the working tree; commit it together with them.',
  }
}

/** Returns why nothing can be committed, whatever is decided; undefined if it can. */
export function commitObstacle(git: GitState): string | undefined {
  if (git.kind === 'none') return noRepositoryReason(git).replace(/^t/, 'T')
  return git.operationInProgress === undefined ? undefined : `A ${git.operationInProgress} is in progress`
}

function noRepositoryReason({ reason }: NoRepository): string {
  return reason.startsWith('not ') ? 'the project is not in a git repository' : reason
}
