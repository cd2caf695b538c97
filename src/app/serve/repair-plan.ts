import { loadPlan } from '../project/plan-file.js'
import { openProjectStore } from '../project/project-store.js'
import { planPathOf } from '../repairs/plan-path.js'

/** The verified repairs of a dry run as an editor shows them: texts of files before and after; null where there is none. */
export interface RepairPlan {
  readonly run: string
  readonly repairs: readonly {
    readonly id: string
    readonly title: string
    readonly changes: readonly {
      /** Relative to the root. */
      readonly path: string
      readonly before: string | null
      readonly after: string | null
    }[]
  }[]
}

/**
 * Reads the plan of a dry run. Throws `usage` for a run that made none.
 *
 * @param name id of the run, or the start of one
 */
export async function readRepairPlan(root: string, name: string, now: () => Date): Promise<RepairPlan> {
  const project = await openProjectStore({ cwd: root }, now)
  try {
    const { run, repairs } = await loadPlan(planPathOf(project.store.resolveRun(name), project))
    return {
      run,
      repairs: repairs.map(({ id, title, changes }) => ({
        ...{ id, title },
        changes: changes.map(({ path, before, after }) => ({
          ...{ path, before: textOf(before), after: textOf(after) },
        })),
      })),
    }
  } finally {
    project.store.close()
  }
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder().decode(bytes)
}
