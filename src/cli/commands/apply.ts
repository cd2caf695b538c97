import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FileChange } from '../../edit/apply.js'
import { openJournal } from '../../edit/journal.js'
import { AutotestError } from '../../errors.js'
import type { CommandContext } from '../command-context.js'
import type { ExitCode } from '../exit-code.js'
import { withProjectLock } from '../locked.js'
import { dirtyWords } from '../obstacle.js'
import { runFolder } from '../perform-run.js'
import { loadPlan, type SavedPlan } from '../plan-file.js'
import { openProjectStore, type ProjectStore, type StoreFlags } from '../project-store.js'

/** Writes the verified repairs of a dry run, all or none; refused where a file is not as it was when they were verified. */
export async function applyCommand(
  flags: StoreFlags & { readonly plan: string; readonly 'allow-dirty'?: boolean | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  const project = await openProjectStore(flags, context)
  const { config, store } = project
  const { terminal } = context
  try {
    const file = resolve(context.cwd, flags.plan)
    const path = existsSync(file)
      ? file
      : join(runFolder({ config }, store.resolveRun(flags.plan)), 'plan.json')
    const plan = await loadPlan(path)
    const changes = mergedChanges(plan)
    const note = (text: string): void => terminal.err(`note  ${text}`)
    await withProjectLock(config.root, note, async () => {
      if (await stands(config.root, changes)) {
        terminal.out(
          `The plan of ${plan.run} is applied already: ${changes.map(({ path }) => path).join(', ')}`,
        )
        return
      }
      if (flags['allow-dirty'] !== true) await refuseDirty(changes, project)
      await writePlan(plan, changes, project, context)
      for (const { title, changes: own } of plan.repairs)
        terminal.out(`Applied ${title}: ${own.map((change) => change.path).join(', ')}`)
      terminal.out(`In the working tree, not committed · undo with autotest revert ${plan.run}`)
    })
    return 0
  } finally {
    store.close()
  }
}

/** Throws `edit_conflict` where a file that the plan changes has changes of the user's that are not committed. */
async function refuseDirty(changes: readonly FileChange[], { config, store }: ProjectStore): Promise<void> {
  for (const { path, before } of changes) {
    // A file that is not as it was when the plan was verified is refused for that.
    if (!(await holds(config.root, path, before))) return
    const words = await dirtyWords(config.root, path, store)
    if (words === undefined) continue
    throw new AutotestError('edit_conflict', `${words}; nothing was written`, {
      hint: 'Commit them, then apply again; --allow-dirty writes the repair beside them.',
    })
  }
}

async function writePlan(
  plan: SavedPlan,
  changes: readonly FileChange[],
  { config, store }: ProjectStore,
  context: CommandContext,
): Promise<void> {
  const { root, kb, agents } = config
  const journal = await openJournal({ root, allowedRoots: [kb, agents], now: context.now, pid: process.pid })
  try {
    await journal.write(plan.run, 'plan', changes)
  } catch (error) {
    const changed = await changedSince(root, changes)
    if (!(error instanceof AutotestError) || error.code !== 'journal_conflict' || changed === undefined)
      throw error
    throw new AutotestError(
      'journal_conflict',
      `${changed} has changed since the plan was verified; nothing was written`,
      {
        hint: 'Run autotest --dry-run again: the new plan starts from the files as they are now.',
        cause: error,
      },
    )
  }
  // A plan may come from another machine; then this run database cannot revert it.
  if (store.runDetail(plan.run) === undefined) return
  for (const { id } of plan.repairs) store.updateAttempt(plan.run, id, { outcome: 'accepted' })
  store.setDecision(plan.run, 'kept')
  await journal.settle(plan.run)
}

/** One change a file: repairs may follow each other in the same one. */
function mergedChanges({ repairs }: SavedPlan): FileChange[] {
  const merged = new Map<string, FileChange>()
  for (const change of repairs.flatMap((repair) => repair.changes)) {
    const earlier = merged.get(change.path)
    merged.set(change.path, earlier === undefined ? change : { ...earlier, after: change.after })
  }
  return [...merged.values()]
}

async function stands(root: string, changes: readonly FileChange[]): Promise<boolean> {
  for (const { path, after } of changes) if (!(await holds(root, path, after))) return false
  return changes.length > 0
}

async function changedSince(root: string, changes: readonly FileChange[]): Promise<string | undefined> {
  for (const { path, before } of changes) if (!(await holds(root, path, before))) return path
  return undefined
}

async function holds(root: string, path: string, bytes: Uint8Array | null): Promise<boolean> {
  const file = join(root, path)
  if (!existsSync(file)) return bytes === null
  return bytes !== null && (await readFile(file)).equals(bytes)
}
