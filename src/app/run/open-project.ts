import type { Config } from '../../config/config.js'
import type { RunRecord } from '../../store/record-types.js'
import { openStore, type RunStore } from '../../store/store.js'
import { prewarmProject } from '../compose.js'
import { prewarmEngine } from '../engine-registry.js'
import { openProjectParseCache } from '../project/parse-cache-lifecycle.js'
import type { Project } from '../project/project.js'
import { openProjectStore } from '../project/project-store.js'
import { loadRunDomain } from './load-run-domain.js'
import type { RunRequest } from './run-request.js'
import type { RunDomain } from './run-state.js'
import { resumedRequest } from './stored-options.js'
import { unfinishedRun } from './unfinished-run.js'

export interface OpenedProject {
  readonly domain: RunDomain
  readonly project: Project
  readonly store: RunStore
  /** The run that is resumed. */
  readonly resume: RunRecord | undefined
  /** As given; for a resumed run, with the options that it was started with. */
  readonly request: RunRequest
}

/**
 * Opens the project with its run database; a resumed run restores the options that determined what was asked.
 */
export async function openProject(request: RunRequest, now: () => Date): Promise<OpenedProject> {
  if (request.resume === undefined) {
    const domain = await loadRunDomain(request, prewarmRun)
    const store = await openStore(domain.project.database, { now })
    return { domain, project: domain.project, store, resume: undefined, request }
  }
  const { store, config } = await openProjectStore(request, now)
  try {
    const resume = unfinishedRun(store, request.resume.run, config.root)
    const resumed = resumedRequest(request, resume)
    const domain = await loadRunDomain(resumed, prewarmRun)
    return { domain, project: domain.project, store, resume, request: resumed }
  } catch (error) {
    store.close()
    throw error
  }
}

/** Starts the parts of the project that a run needs while the cases are loaded. */
async function prewarmRun(config: Config): Promise<void> {
  // Its process starts in parallel.
  prewarmEngine(config)
  await openProjectParseCache(config.root)
  await prewarmProject(config)
}
