import { messageOf } from '../errors.js'
import type { CommitOutcome } from '../git/commit.js'
import type { GitState } from '../git/inspect.js'
import type { AcceptedRepair } from '../repair/loop.js'
import type { Decision } from '../store/records.js'
import type { RunStore } from '../store/store.js'
import { commitMessage } from './commit-message.js'
import type { Terminal } from './terminal.js'

export interface SettleRequest {
  readonly root: string
  readonly runId: string
  readonly accepted: readonly AcceptedRepair[]
  /** The repository as it was before anything was written. */
  readonly git: GitState
  /** `ask` where somebody can answer; `leave` without a terminal. */
  readonly how: 'ask' | 'commit' | 'keep' | 'leave'
  readonly store: RunStore
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** Repairs that touch a common file: committed or reverted together. */
type Group = readonly AcceptedRepair[]

/** What becomes of the edits in the working tree: asks where it may, commits, keeps or reverts. */
export async function settleRepairs(request: SettleRequest): Promise<Decision> {
  const { accepted, how, terminal } = request
  if (accepted.length === 0) return 'none'
  const groups = groupByFile(accepted)
  if (how === 'keep') return 'kept'
  if (how === 'commit') return commitGroups(groups, request)
  if (how === 'leave') {
    const them = accepted.length === 1 ? 'it' : 'them'
    const committable = request.git.kind === 'repo' ? ` · --yes would have committed ${them}` : ''
    terminal.out(
      `${counted(accepted.length)} in the working tree, not committed · undo with autotest revert ${request.runId}${committable}`,
    )
    return 'pending'
  }
  return ask(groups, request)
}

async function ask(groups: readonly Group[], request: SettleRequest): Promise<Decision> {
  const { terminal, accepted, signal } = request
  const offer = request.git.kind === 'repo' ? '[y] commit  ' : ''
  if (request.git.kind === 'none')
    terminal.out('The project is not in a git repository: repairs can be kept or reverted, not committed.')
  for (;;) {
    const question = `${counted(accepted.length)} ready: ${offer}[n] keep in the working tree  [r] revert  [p] one by one  [d] diff › `
    const answer = (await terminal.ask(question, signal))?.trim().toLowerCase()
    switch (answer) {
      case undefined:
        return 'pending'
      case 'y':
        if (request.git.kind === 'repo') return commitGroups(groups, request)
        terminal.out('There is no git repository to commit to.')
        break
      case 'n':
        return 'kept'
      case 'r':
        await revertGroups(groups, request)
        return 'reverted'
      case 'p':
        return oneByOne(groups, request)
      case 'd':
        for (const { attempt } of accepted) for (const edit of attempt.edits) terminal.out(edit.diff)
        break
      default:
        terminal.out('Please answer y, n, r, p or d.')
    }
  }
}

async function oneByOne(groups: readonly Group[], request: SettleRequest): Promise<Decision> {
  const decisions: Decision[] = []
  const reverted: Group[] = []
  for (const group of groups) {
    const title = group.map(({ attempt }) => attempt.title).join(' + ')
    const answer = (
      await request.terminal.ask(`${title}: [y] commit  [n] keep  [r] revert › `, request.signal)
    )
      ?.trim()
      .toLowerCase()
    if (answer === 'y' && request.git.kind === 'repo') decisions.push(await commitGroups([group], request))
    else if (answer === 'r') reverted.push(group)
    else decisions.push(answer === undefined ? 'pending' : 'kept')
  }
  if (reverted.length > 0) {
    await revertGroups(reverted, request)
    decisions.push('reverted')
  }
  for (const worst of ['pending', 'reverted', 'kept', 'committed'] as const)
    if (decisions.includes(worst)) return worst
  return 'none'
}

async function commitGroups(groups: readonly Group[], request: SettleRequest): Promise<Decision> {
  const { terminal, git } = request
  const { commitRepair } = await import('../git/commit.js')
  if (git.kind === 'none') {
    terminal.out(
      'Not committed: the project is not in a git repository. The repairs are in the working tree.',
    )
    return 'pending'
  }
  const dirty = new Set(git.dirtyPaths)
  let all = true
  for (const group of groups) {
    const paths = pathsOf(group)
    const changedBefore = paths.filter((path) => dirty.has(path))
    const outcome: CommitOutcome =
      changedBefore.length > 0
        ? {
            kind: 'refused',
            reason: `${changedBefore.join(', ')} had your own uncommitted changes`,
            hint: 'The repair is in the working tree; commit it with your changes.',
          }
        : await commitRepair(request.root, { paths, ...commitMessage(group, request.runId) })
    if (outcome.kind === 'refused') {
      all = false
      terminal.out(`Not committed: ${outcome.reason}\n  ${outcome.hint}`)
      continue
    }
    for (const { attempt } of group)
      request.store.updateAttempt(request.runId, attempt.id, { commit: outcome.hash })
    terminal.out(
      `Committed ${outcome.hash.slice(0, 7)}  ${group.map(({ attempt }) => attempt.title).join(' + ')}`,
    )
    if (outcome.warning !== undefined) terminal.out(`  ${outcome.warning}`)
  }
  return all ? 'committed' : 'pending'
}

async function revertGroups(groups: readonly Group[], request: SettleRequest): Promise<void> {
  const { restore } = await import('../edit/journal.js')
  for (const group of [...groups].reverse()) {
    for (const { attempt, changes } of [...group].reverse()) {
      try {
        await restore(request.root, changes)
        request.store.updateAttempt(request.runId, attempt.id, { outcome: 'reverted' })
        request.terminal.out(`Reverted ${attempt.title}`)
      } catch (error) {
        request.terminal.err(`Not reverted: ${attempt.title}: ${messageOf(error)}`)
      }
    }
  }
}

function groupByFile(accepted: readonly AcceptedRepair[]): Group[] {
  const groups: AcceptedRepair[][] = []
  for (const repair of accepted) {
    const paths = new Set(repair.changes.map((change) => change.path))
    const touching = groups.filter((group) =>
      group.some((other) => other.changes.some((change) => paths.has(change.path))),
    )
    const rest = groups.filter((group) => !touching.includes(group))
    groups.splice(0, groups.length, ...rest, [...touching.flat(), repair])
  }
  return groups
}

function pathsOf(group: Group): string[] {
  return [...new Set(group.flatMap(({ changes }) => changes.map((change) => change.path)))]
}

function counted(repairs: number): string {
  return repairs === 1 ? '1 repair is' : `${repairs} repairs are`
}
