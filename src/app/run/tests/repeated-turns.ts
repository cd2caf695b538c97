import { type AgentConfig, repeatedRun } from '../../../config/config.js'
import { AutotestError } from '../../../errors.js'
import { replayedModel } from '../../../subagent/runner/replayed-model.js'
import type { Trace } from '../../../subagent/runner/trace.js'
import type { TurnModel } from '../../../subagent/runner/turn-model.js'
import type { ProjectRequest } from '../../project/project-request.js'
import { openProjectStore } from '../../project/project-store.js'

/** What an agent said in an earlier run, by case. */
export interface RepeatedTurns {
  /** Throws `agent_failed` where it said nothing for a case. */
  modelOf(caseId: string): TurnModel
}

/**
 * Reads the turns that an agent repeats (`trace:RUN`, or `trace:last`): the tools answer anew, so that a changed tool shows what it makes of the same
 * calls. Returns undefined for another model. Throws `usage` for a run that is not known.
 */
export async function repeatedTurns(
  request: ProjectRequest,
  { model }: Extract<AgentConfig, { kind: 'subagent' }>,
): Promise<RepeatedTurns | undefined> {
  const named = repeatedRun(model)
  if (named === undefined) return undefined
  const { store } = await openProjectStore(request, () => new Date())
  const traces = new Map<string, Trace>()
  let runId: string
  try {
    runId = store.resolveRun(named)
    for (const caseId of store.finishedCases(runId).keys()) {
      // Written by this program, so its shape is trusted.
      const trace = store.traceOf(runId, caseId) as Trace | undefined
      if (trace !== undefined) traces.set(caseId, trace)
    }
  } finally {
    store.close()
  }
  return {
    modelOf(caseId) {
      const trace = traces.get(caseId)
      if (trace === undefined)
        throw new AutotestError(
          'agent_failed',
          `nothing is known of what the agent did for ${caseId} in ${runId}`,
        )
      return replayedModel(trace)
    },
  }
}
