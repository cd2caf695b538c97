import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { AutotestError } from '../../errors.js'
import { applyPlan } from '../repairs/apply-plan.js'
import { planDigest } from './plan-digest.js'
import { readRun } from './run-resources.js'

export interface ApplyConfirmed {
  readonly root: string
  readonly run: string
  /** The digest of the plan that was shown. */
  readonly confirm: string
  readonly now: () => Date
}

/** Writes a verified plan that was shown as it is; where the client can ask its user, that one decides. */
export async function applyConfirmed({ root, run, confirm, now }: ApplyConfirmed, server: McpServer) {
  const { id, attempts } = await readRun(root, run, now)
  const digest = await planDigest(root, id)
  if (digest !== confirm)
    throw new AutotestError('usage', `confirm is not the digest of the plan of ${id}`, {
      hint: 'Show the result of the tool plan to a person, then apply with its digest.',
    })
  const accepted = attempts.filter(({ outcome }) => outcome === 'accepted')
  if (server.server.getClientCapabilities()?.elicitation !== undefined) {
    const titles = accepted.map(({ title }) => title).join('; ')
    const { action, content } = await server.server.elicitInput({
      message: `Write ${accepted.length} verified repairs of ${id} to the knowledge base? ${titles}`.slice(
        0,
        1000,
      ),
      requestedSchema: {
        type: 'object',
        properties: { write: { type: 'boolean', title: 'Write them', default: false } },
        required: ['write'],
      },
    })
    if (action !== 'accept' || content?.['write'] !== true)
      throw new AutotestError('usage', 'the user did not confirm: nothing was written')
  }
  const { runId, repairs } = await applyPlan(
    { cwd: root, plan: id, allowDirty: false },
    { onNote: () => undefined, now },
  )
  return { run: runId, written: repairs, undo: `autotest revert ${runId}` }
}
