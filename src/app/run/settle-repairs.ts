import { promptChoice } from '../../cli/prompt-choice.js'
import type { Terminal } from '../../cli/terminal.js'
import { messageOf } from '../../errors.js'
import type { CommitOutcome } from '../../git/commit.js'
import type { CommitRefusal } from '../../git/commit-readiness.js'
import type { GitState, NoRepository } from '../../git/inspect-repository.js'
import type { AcceptedRepair } from '../../repair/input.js'
import { flowParts, wrap } from '../../report/console/screen.js'
import type { Decision } from '../../store/records.js'
import type { RunStore } from '../../store/store.js'
import { commitMessage } from './commit-message.js'

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
  if (request.accepted.length === 0) return 'none'
  const groups = await groupsToSettle(request)
  if (groups.length === 0) return 'kept'
  return settleGroups(groups, { ...request, accepted: groups.flat() })
}

/** The repairs that git does not have: what only gives back what was committed needs no decision. */
async function groupsToSettle({ accepted, git, root, terminal }: SettleRequest): Promise<Group[]> {
  const groups = groupByFile(accepted)
  if (git.kind === 'none' || git.dirtyPaths.length === 0) return groups
  const { differingPaths: differing } = await import('../../git/inspect-repository.js')
  const wereDirty = new Set(git.dirtyPaths)
  const left: Group[] = []
  for (const group of groups) {
    const paths = pathsOf(group)
    if (paths.every((path) => wereDirty.has(path)) && (await differing(root, paths)).length === 0)
      printFacts(`Nothing to commit: ${paths.join(', ')} · as in the last commit again`, terminal)
    else left.push(group)
  }
  return left
}

async function settleGroups(groups: readonly Group[], request: SettleRequest): Promise<Decision> {
  const { how, terminal } = request
  if (how === 'keep') return 'kept'
  if (how === 'commit') return commitGroups(groups, request)
  if (how === 'leave') {
    printFacts(`${workingTreeSummary(request)}${await commitPreview(groups, request)}`, terminal)
    return 'pending'
  }
  return ask(groups, request)
}

/** What could be committed as things stand: nothing during a merge, nor in a submodule. */
async function commitPreview(
  groups: readonly Group[],
  { root, git, accepted }: SettleRequest,
): Promise<string> {
  if (git.kind === 'none') return ''
  const { prepareReadinessCheck: readiness } = await import('../../git/commit-readiness.js')
  const isReady = await readiness(root, pathsOf(groups.flat()))
  const could: AcceptedRepair[] = []
  const reasons = new Set<string>()
  for (const group of groups) {
    const paths = pathsOf(group)
    const ready = refuseDirtyPaths(paths, git) ?? (await isReady(paths))
    if (ready.kind === 'ready') could.push(...group)
    else reasons.add(ready.reason)
  }
  const [reason] = reasons
  if (could.length === 0) return reason === undefined ? '' : ` · cannot be committed: ${reason}`
  const which = could.length === accepted.length ? pronounFor(accepted) : `${could.length} of them`
  return ` · --yes would have committed ${which}`
}

/** Files that a commit would take along with changes of the user's. */
function refuseDirtyPaths(
  paths: readonly string[],
  { dirtyPaths }: { readonly dirtyPaths: readonly string[] },
): CommitRefusal | undefined {
  const dirty = paths.filter((path) => dirtyPaths.includes(path))
  if (dirty.length === 0) return undefined
  return {
    kind: 'refused',
    reason: `${dirty.join(', ')} held uncommitted changes before this run`,
    hint: 'The repair is in the working tree; commit it with them.',
  }
}

async function ask(groups: readonly Group[], request: SettleRequest): Promise<Decision> {
  const { terminal, accepted, signal, git } = request
  terminal.out('')
  const obstacle = commitObstacle(git)
  if (obstacle !== undefined)
    for (const line of wrap(
      `${obstacle}: repairs can be kept or reverted, not committed.`,
      terminal.width,
      4,
    ))
      terminal.out(line)
  const choices = {
    ...(obstacle === undefined ? { y: 'commit' } : {}),
    n: 'keep in the working tree',
    r: 'revert',
    ...(groups.length > 1 ? { p: 'one by one' } : {}),
    d: 'diff',
  }
  for (;;) {
    switch (await promptChoice(`${countRepairs(accepted)} ready:`, choices, terminal, signal)) {
      case undefined:
        printFacts(workingTreeSummary(request), terminal)
        return 'pending'
      case 'y':
        return commitGroups(groups, request)
      case 'n':
        printFacts(`Kept · undo with autotest revert ${request.runId}`, terminal)
        return 'kept'
      case 'r':
        return (await revertGroups(groups, request)) ? 'reverted' : 'pending'
      case 'p':
        return settleOneByOne(groups, request)
      case 'd':
        for (const { attempt } of accepted)
          for (const edit of attempt.edits) terminal.out(`${edit.diff.trimEnd()}\n`)
    }
  }
}

async function settleOneByOne(groups: readonly Group[], request: SettleRequest): Promise<Decision> {
  const { terminal, signal, git } = request
  const decisions: Decision[] = []
  const reverted: Group[] = []
  const choices = { ...(commitObstacle(git) === undefined ? { y: 'commit' } : {}), n: 'keep', r: 'revert' }
  for (const group of groups) {
    const title = group.map(({ attempt }) => attempt.title).join(' + ')
    const answer = await promptChoice(`${title}:`, choices, terminal, signal)
    if (answer === undefined) {
      printFacts(workingTreeSummary(request), terminal)
      decisions.push('pending')
      break
    }
    if (answer === 'y') decisions.push(await commitGroups([group], request))
    else if (answer === 'r') reverted.push(group)
    else decisions.push('kept')
  }
  if (reverted.length > 0) decisions.push((await revertGroups(reverted, request)) ? 'reverted' : 'pending')
  for (const worst of ['pending', 'reverted', 'kept', 'committed'] as const)
    if (decisions.includes(worst)) return worst
  return 'none'
}

async function commitGroups(groups: readonly Group[], request: SettleRequest): Promise<Decision> {
  const { terminal, git } = request
  const { commitRepair } = await import('../../git/commit.js')
  if (git.kind === 'none') {
    const hint = git.hint === undefined ? '' : ` ${git.hint}.`
    terminal.out(`Not committed: ${noRepositoryReason(git)}. The repairs are in the working tree.${hint}`)
    return 'pending'
  }
  const left: AcceptedRepair[] = []
  const refused = new Map<string, string[]>()
  for (const group of groups) {
    const title = group.map(({ attempt }) => attempt.title).join(' + ')
    const paths = pathsOf(group)
    const outcome: CommitOutcome =
      refuseDirtyPaths(paths, git) ??
      (await commitRepair(request.root, { paths, ...commitMessage(group, request.runId) }))
    if (outcome.kind === 'refused') {
      left.push(...group)
      const why = `${outcome.reason}\n  ${outcome.hint}`
      refused.set(why, [...(refused.get(why) ?? []), title])
      continue
    }
    for (const { attempt } of group)
      request.store.updateAttempt(request.runId, attempt.id, { commit: outcome.hash })
    terminal.out(`Committed ${outcome.hash.slice(0, 7)}  ${title}`)
    if (outcome.warning !== undefined) terminal.out(`  ${outcome.warning}`)
  }
  // What holds for all is said once; what holds for some, with their names.
  for (const [why, titles] of refused)
    terminal.out(`Not committed: ${titles.length === groups.length ? '' : `${titles.join('; ')}: `}${why}`)
  if (left.length === 0) return 'committed'
  printFacts(workingTreeSummary({ ...request, accepted: left }, request.accepted.length), terminal)
  return 'pending'
}

/** False where one could not be reverted: its files were changed meanwhile. */
async function revertGroups(groups: readonly Group[], request: SettleRequest): Promise<boolean> {
  const { restoreFiles: restore } = await import('../../edit/journal.js')
  let all = true
  for (const group of [...groups].reverse()) {
    for (const { attempt, changes } of [...group].reverse()) {
      try {
        await restore(request.root, changes)
        request.store.updateAttempt(request.runId, attempt.id, { outcome: 'reverted' })
        request.terminal.out(`Reverted ${attempt.title}`)
      } catch (error) {
        all = false
        request.terminal.err(`Not reverted: ${attempt.title}: ${messageOf(error)}`)
      }
    }
  }
  return all
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

/** Why nothing can be committed whatever is answered. */
function commitObstacle(git: GitState): string | undefined {
  if (git.kind === 'none') return `${noRepositoryReason(git).replace(/^t/, 'T')}`
  return git.operationInProgress === undefined ? undefined : `A ${git.operationInProgress} is under way`
}

function noRepositoryReason({ reason }: NoRepository): string {
  return reason.startsWith('not ') ? 'the project is not in a git repository' : reason
}

/** Facts on as few lines as the terminal has room for; a log keeps them on one. */
function printFacts(text: string, { out, width, interactive }: Terminal): void {
  if (!interactive) out(text)
  else for (const line of flowParts(text.split(' · '), ' · ', { width, color: false })) out(line)
}

function countRepairs(repairs: readonly unknown[]): string {
  return repairs.length === 1 ? '1 repair is' : `${repairs.length} repairs are`
}

function pronounFor(repairs: readonly unknown[]): string {
  return repairs.length === 1 ? 'it' : 'them'
}

/** @param of how many repairs the run made: what is committed is not to be undone with the rest */
function workingTreeSummary({ accepted, runId }: SettleRequest, of = accepted.length): string {
  const [only] = accepted
  const which = accepted.length === 1 && of > 1 && only !== undefined ? ` --repair ${only.attempt.id}` : ''
  const files = pathsOf(accepted).join(', ')
  return `${countRepairs(accepted)} in the working tree, not committed: ${files} · undo with autotest revert ${runId}${which}`
}
