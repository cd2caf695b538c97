import { messageOf } from '../../errors.js'

import type { AcceptedRepair } from '../../repair/model/repair-input.js'
import type { AttemptRecord, Decision } from '../../store/record-types.js'
import { recordRejections } from '../project/record-rejections.js'

import { announceUncommitted, commitGroups, commitObstacle, previewCommit } from './commit-repairs.js'
import { groupByFile, pathsOf, type RepairGroup } from './repair-groups.js'
import type { SettleRequest } from './settle-request.js'
import type { Decide, RepairsAnswer, RepairsQuestion } from './user-decision.js'

/** Settles the edits in the working tree: asks if allowed, then commits, keeps or reverts. */
export async function settleRepairs(request: SettleRequest): Promise<Decision> {
  if (request.accepted.length === 0) return 'none'
  const groups = await groupsToSettle(request)
  if (groups.length === 0) return 'kept'
  return settleGroups(groups, { ...request, accepted: groups.flat() })
}

/** Returns the repairs that git does not have: restoring committed content needs no decision. */
async function groupsToSettle({ accepted, git, root, listener }: SettleRequest): Promise<RepairGroup[]> {
  const groups = groupByFile(accepted)
  if (git.kind === 'none' || git.dirtyPaths.length === 0) return groups
  const { differingPaths } = await import('../../git/inspect-repository.js')
  const wereDirty = new Set(git.dirtyPaths)
  const left: RepairGroup[] = []
  for (const group of groups) {
    const paths = pathsOf(group)
    if (paths.every((path) => wereDirty.has(path)) && (await differingPaths(root, paths)).length === 0)
      listener({ kind: 'matches_last_commit', paths })
    else left.push(group)
  }
  return left
}

async function settleGroups(groups: readonly RepairGroup[], request: SettleRequest): Promise<Decision> {
  const { commit, decide, accepted } = request
  if (commit === 'never') return 'kept'
  if (commit === 'always') return commitGroups(groups, request)
  if (decide !== undefined) return settleAsDecided(groups, decide, request)
  announceUncommitted(accepted, request, await previewCommit(groups, request))
  return 'pending'
}

async function settleAsDecided(
  groups: readonly RepairGroup[],
  decide: Decide,
  request: SettleRequest,
): Promise<Decision> {
  const options: RepairsAnswer[] = ['keep', 'revert', ...(groups.length > 1 ? ['one_by_one' as const] : [])]
  const answer = await ask(decide, repairsQuestion('all', request.accepted, options, request))
  switch (answer) {
    case undefined:
      announceUncommitted(request.accepted, request)
      return 'pending'
    case 'commit':
      return commitGroups(groups, request)
    case 'keep':
      request.listener({ kind: 'repairs_kept', runId: request.runId })
      return 'kept'
    case 'revert':
      return revertGroups(groups, request)
    case 'one_by_one':
      return settleOneByOne(groups, decide, request)
  }
}

/**
 * Creates the question about repairs.
 *
 * @param options possible answers besides `commit`, which depends on the repository
 */
function repairsQuestion(
  scope: RepairsQuestion['scope'],
  repairs: readonly AcceptedRepair[],
  options: readonly RepairsAnswer[],
  { runId, git }: SettleRequest,
): RepairsQuestion {
  const obstacle = commitObstacle(git)
  return {
    kind: 'repairs',
    runId,
    scope,
    repairs: repairs.map(({ attempt }) => attempt),
    commitObstacle: obstacle,
    options: obstacle === undefined ? ['commit', ...options] : options,
  }
}

async function ask(decide: Decide, question: RepairsQuestion): Promise<RepairsAnswer | undefined> {
  const answer = await decide(question)
  return question.options.find((option) => option === answer)
}

async function settleOneByOne(
  groups: readonly RepairGroup[],
  decide: Decide,
  request: SettleRequest,
): Promise<Decision> {
  const decisions: Decision[] = []
  const reverted: RepairGroup[] = []
  for (const group of groups) {
    const answer = await ask(decide, repairsQuestion('group', group, ['keep', 'revert'], request))
    if (answer === undefined) {
      announceUncommitted(request.accepted, request)
      decisions.push('pending')
      break
    }
    if (answer === 'commit') decisions.push(await commitGroups([group], request))
    else if (answer === 'revert') reverted.push(group)
    else decisions.push('kept')
  }
  if (reverted.length > 0) decisions.push(await revertGroups(reverted, request))
  return worstOf(decisions)
}

function worstOf(decisions: readonly Decision[]): Decision {
  for (const worst of ['pending', 'reverted', 'kept', 'committed'] as const)
    if (decisions.includes(worst)) return worst
  return 'none'
}

/**
 * Reverts groups; returns `pending` if one could not be reverted because its files were changed in the
 * meantime.
 */
async function revertGroups(groups: readonly RepairGroup[], request: SettleRequest): Promise<Decision> {
  const { restoreFiles } = await import('../../edit/journal.js')
  const { root, runId, store, listener } = request
  let decision: Decision = 'reverted'
  const reverted: AttemptRecord[] = []
  for (const { attempt, changes } of groups.flat().reverse()) {
    const { id, title } = attempt
    try {
      await restoreFiles(root, changes)
      store.updateAttempt(runId, id, { outcome: 'reverted' })
      reverted.unshift(attempt)
      listener({ kind: 'repair_reverted', title })
    } catch (error) {
      decision = 'pending'
      listener({ kind: 'revert_failed', title, reason: messageOf(error) })
    }
  }
  const reason = 'reverted when asked whether to keep it'
  await recordRejections({ root, store, runId, repairs: reverted, reason, now: request.now })
  return decision
}
