import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { checkOnDisk, checkPath } from '../../edit/allowed-path.js'
import type { FileChange } from '../../edit/apply-edits.js'
import { openJournal } from '../../edit/journal.js'
import { AutotestError } from '../../errors.js'
import { findNotCheckedOut } from '../../git/not-checked-out.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import { absentError } from '../project/checkout.js'
import { repairToApply } from '../project/held-repairs.js'
import { loadPlan, type SavedPlan } from '../project/plan-file.js'
import type { StoreRequest } from '../project/project-request.js'
import { openProjectStore, type ProjectStore } from '../project/project-store.js'
import { withProjectLock } from '../project/with-project-lock.js'
import { writablePlaces } from '../project/writable-places.js'
import { describeDirtyFile } from '../project/write-obstacles.js'
import { planPathOf } from './plan-path.js'
import type { RepairsContext } from './repairs-context.js'
import { settleHeldGates } from './settle-held-gates.js'

export interface ApplyRequest extends StoreRequest {
  /** Id of the dry run, the start of one, or the path of its plan.json. */
  readonly plan: string
  /** Only this repair of the run: one that it planned, or that it holds for a person to accept. */
  readonly repair?: string | undefined
  /** Whether files with the user's uncommitted changes are written too. */
  readonly allowDirty: boolean
}

export interface AppliedPlan {
  /** The dry run. */
  readonly runId: string
  readonly repairs: readonly AppliedRepair[]
  /** Whether the run database has the run, so that it can be reverted. */
  readonly isRevertible: boolean
}

export interface AppliedRepair {
  readonly title: string
  /** Relative to the root of the project. */
  readonly paths: readonly string[]
  /** Whether the files had the content already. */
  readonly wasApplied: boolean
}

/**
 * Writes the verified repairs of a dry run, all or none, as far as they are not in the files already. Throws
 * `journal_conflict` if a file has neither the content from before the repairs nor that from after one.
 */
export async function applyPlan(request: ApplyRequest, context: RepairsContext): Promise<AppliedPlan> {
  const project = await openProjectStore(request, context.now)
  const { config, store } = project
  try {
    const plan = await planToApply(request, project)
    const standing = await withProjectLock(config.root, context.onNote, () =>
      writeMissing(plan, request, project, context),
    )
    if (request.repair === undefined) settleHeldGates(store, config.root, plan.run, 'apply', context.now())
    return {
      runId: plan.run,
      repairs: plan.repairs.map((repair) => ({
        title: repair.title,
        paths: pathsOf(repair),
        wasApplied: isApplied(standing, repair),
      })),
      isRevertible: store.runDetail(plan.run) !== undefined,
    }
  } finally {
    store.close()
  }
}

/** Returns the repairs of a plan, or the one repair of a run that is named. */
async function planToApply({ cwd, plan, repair }: ApplyRequest, project: ProjectStore): Promise<SavedPlan> {
  const { store } = project
  const file = resolve(cwd, plan)
  if (repair === undefined)
    return loadPlan(existsSync(file) ? file : planPathOf(store.resolveRun(plan), project))
  const run = store.resolveRun(plan)
  const detail = store.runDetail(run)
  if (detail === undefined) throw new Error(`run ${run} is not in its database`)
  const { id, title } = repairToApply(detail, repair)
  const changes = store.editsOf(run, id).map(({ path, before, after }) => ({ path, before, after }))
  return { run, knowledge: detail.run.knowledge, repairs: [{ id, title, changes }] }
}

/** @returns the state of the files before */
async function writeMissing(
  plan: SavedPlan,
  request: ApplyRequest,
  project: ProjectStore,
  context: RepairsContext,
): Promise<readonly FileProgress[]> {
  const standing = await fileProgressOf(project.config, plan)
  const changes = missingChanges(standing)
  if (changes.length > 0) {
    if (!request.allowDirty) await refuseDirty(changes, project)
    await writePlan(plan, changes, request, project, context)
  }
  return standing
}

/**
 * The progress of a plan in one file: the bytes before the plan, after each of its repairs, and which of them
 * the file has now.
 */
interface FileProgress {
  readonly path: string
  readonly states: readonly (Uint8Array | null)[]
  readonly at: number
}

/**
 * Returns the progress of each file. Throws `journal_conflict`, naming the file, if its content is neither
 * that before the plan nor that after one of its repairs.
 */
async function fileProgressOf(
  config: ProjectStore['config'],
  { repairs }: SavedPlan,
): Promise<FileProgress[]> {
  const states = new Map<string, (Uint8Array | null)[]>()
  for (const { path, before, after } of repairs.flatMap((repair) => repair.changes))
    states.set(path, [...(states.get(path) ?? [before]), after])
  const { root, allowedRoots, extensions } = writablePlaces(config)
  // A plan may come from anywhere: nothing outside the project is read, and only regular files.
  for (const path of states.keys()) {
    checkPath(path, allowedRoots, extensions)
    await checkOnDisk(root, path)
    const absent = await findNotCheckedOut(root, [path])
    if (absent.length > 0) throw absentError('path_refused', 'nothing was written', absent)
  }
  const standing: FileProgress[] = []
  for (const [path, known] of states) {
    const current = await readBytes(root, path)
    const at = known.findLastIndex((state) => sameBytes(state, current))
    if (at < 0) {
      throw new AutotestError(
        'journal_conflict',
        `${path} has changed since the plan was verified; nothing was written`,
        { hint: 'Run autotest --dry-run again to plan from the current files.' },
      )
    }
    standing.push({ path, states: known, at })
  }
  return standing
}

/** Returns the changes still to write, one per file: several repairs may change the same file. */
function missingChanges(standing: readonly FileProgress[]): FileChange[] {
  return standing.flatMap(({ path, states, at }) =>
    at === states.length - 1 ? [] : [{ path, before: states[at] ?? null, after: states.at(-1) ?? null }],
  )
}

/**
 * Reports whether everything that a repair changes is in the files: it was applied before, and not reverted
 * since.
 */
function isApplied(standing: readonly FileProgress[], repair: SavedPlan['repairs'][number]): boolean {
  return repair.changes.every(({ path, after }) => {
    const file = standing.find((each) => each.path === path)
    return file !== undefined && file.states.findLastIndex((state) => sameBytes(state, after)) <= file.at
  })
}

function pathsOf({ changes }: SavedPlan['repairs'][number]): string[] {
  return changes.map(({ path }) => path)
}

/** Throws `edit_conflict` if a file that the plan changes has uncommitted changes of the user. */
async function refuseDirty(changes: readonly FileChange[], { config, store }: ProjectStore): Promise<void> {
  for (const change of changes) {
    const words = await describeDirtyFile(config.root, change, store)
    if (words === undefined) continue
    throw new AutotestError('edit_conflict', `${words}; nothing was written`, {
      hint: 'Commit, then apply again; --allow-dirty writes the repair anyway.',
    })
  }
}

async function writePlan(
  plan: SavedPlan,
  changes: readonly FileChange[],
  { repair }: ApplyRequest,
  { config, store }: ProjectStore,
  context: RepairsContext,
): Promise<void> {
  const journal = await openJournal({ ...writablePlaces(config), now: context.now, pid: process.pid })
  await journal.write(plan.run, 'plan', changes)
  // A plan may come from another machine; then this run database cannot revert it.
  if (store.runDetail(plan.run) === undefined) return
  if (repair !== undefined) {
    store.acceptRepair(plan.run, repair, context.now())
    store.setDecision(plan.run, 'kept')
  } else {
    for (const { id } of plan.repairs) store.updateAttempt(plan.run, id, { outcome: 'accepted' })
    store.markPlanApplied(plan.run)
  }
  await journal.settle(plan.run)
}

async function readBytes(root: string, path: string): Promise<Uint8Array | null> {
  const file = join(root, path)
  return existsSync(file) ? readRegularFile(file) : null
}

function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0
}
