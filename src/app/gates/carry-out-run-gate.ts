import type { GateRecord } from '../../store/gate-rows.js'
import type { StoreRequest } from '../project/project-request.js'
import { applyPlan } from '../repairs/apply-plan.js'
import { rejectRun } from '../repairs/reject-run.js'
import type { RepairsContext } from '../repairs/repairs-context.js'
import { revertRun } from '../repairs/revert-run.js'

/**
 * Carries out the answer to a gate of a run, and returns what was done, or what is left to do, in one sentence. Done again, it does the same.
 */
export async function carryOutRunGate(
  gate: GateRecord,
  answer: string,
  request: StoreRequest,
  context: RepairsContext,
): Promise<{ readonly text: string; readonly isDone: boolean }> {
  const { owner, id } = gate
  switch (answer) {
    case 'follow_benchmark':
      return { text: 'the next run repairs the knowledge: autotest', isDone: false }
    case 'follow_knowledge':
      return { text: `autotest runs show ${owner} shows the queries to expect instead`, isDone: true }
    case 'benchmark_wrong':
      return { text: `correct the expected answer: ${gate.details.at(-1) ?? ''}`, isDone: true }
    case 'apply': {
      const { repairs } = await applyPlan({ ...request, plan: owner, allowDirty: false }, context)
      return { text: `written: ${repairs.flatMap(({ paths }) => paths).join(', ')}`, isDone: true }
    }
    case 'reject': {
      const { rejected } = await rejectRun(
        { ...request, run: owner, reason: `rejected at gate ${id}` },
        context,
      )
      return {
        text: `rejected: ${rejected.map(({ repair }) => repair).join('; ') || 'already'}`,
        isDone: true,
      }
    }
    case 'revert': {
      const result = await revertRun({ ...request, run: owner, reason: `reverted at gate ${id}` }, context)
      return {
        text: result.kind === 'nothing' ? result.reason : 'the files are what they were before',
        isDone: true,
      }
    }
    default:
      return { text: 'nothing is left to do', isDone: true }
  }
}
