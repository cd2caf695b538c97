import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { rejectRun } from '../repairs/reject-run.js'
import { revertRun } from '../repairs/revert-run.js'
import { answered } from './answered.js'
import { applyConfirmed } from './apply-confirmed.js'
import { planDigest } from './plan-digest.js'
import { readRun } from './run-resources.js'
import type { ToolContext } from './tool-context.js'
import { toolArguments, toolResults } from './tool-schemas.js'

const quiet = { onNote: () => undefined }

/** Registers what shows repairs, and what decides about them. */
export function registerRepairTools(server: McpServer, { root, now, project }: ToolContext): void {
  server.registerTool(
    'plan',
    {
      title: 'Planned repairs',
      description:
        'The verified repairs of a run with repairs=plan: diffs and evidence, and the digest by which apply is confirmed.',
      inputSchema: toolArguments.plan,
      outputSchema: toolResults.plan,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ run }) =>
      answered(async () => {
        const { id, attempts } = await readRun(root, run, now)
        const repairs = attempts
          .filter(({ outcome }) => outcome === 'accepted')
          .map(({ id: repair, title, reasoning, cases, grade, evidence, edits }) => ({
            ...{ id: repair, title, reasoning, cases, grade, evidence },
            edits: edits.map(({ file, diff }) => ({ file, diff })),
          }))
        return { run: id, digest: await planDigest(root, id), repairs }
      }),
  )
  server.registerTool(
    'apply',
    {
      title: 'Write planned repairs',
      description:
        'Writes the verified repairs of a run, all or none. Show the plan to a person first: confirm is the digest that the tool plan returned for it. The tool revert takes them back.',
      inputSchema: toolArguments.apply,
      outputSchema: toolResults.apply,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ run, confirm }) => answered(() => applyConfirmed({ root, run, confirm, now }, server)),
  )
  server.registerTool(
    'revert',
    {
      title: 'Take repairs back',
      description:
        'Restores the exact bytes from before the repairs of a run, or from before one of them, and records that they are not wanted. Refused where a file was changed since.',
      inputSchema: toolArguments.revert,
      outputSchema: toolResults.revert,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ run, repair, reason }) =>
      answered(async () => {
        const done = await revertRun({ cwd: root, run, repair, reason }, { ...quiet, now })
        return done.kind === 'nothing'
          ? { reverted: [], nothing: done.reason }
          : { reverted: done.repairs.map(({ id, title }) => ({ id, title })) }
      }),
  )
  server.registerTool(
    'reject',
    {
      title: 'Record that repairs are not wanted',
      description:
        'Records that repairs of a run are not wanted: later runs do not propose them again. Files stay.',
      inputSchema: toolArguments.reject,
      outputSchema: toolResults.reject,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    ({ run, repair, reason }) =>
      answered(async () => {
        const { rejected, written } = await rejectRun({ cwd: root, run, repair, reason }, { ...quiet, now })
        return { rejected, stillWritten: written.map(({ id, title }) => ({ id, title })) }
      }),
  )
  server.registerTool(
    'gates',
    {
      title: 'Decisions that wait for a person',
      description:
        'Questions on which runs and tasks wait, with their choices. They are for a person: show them, with the command that answers.',
      inputSchema: toolArguments.gates,
      outputSchema: toolResults.gates,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ all }) =>
      answered(async () => {
        const gates = await project.gates({ all })
        return {
          gates: gates.map(({ id, question, details, options, expiresAt, answer }) => ({
            ...{ id, question, details, expiresAt, answer },
            choices: options.map(({ choice, text }) => ({ choice, text })),
            answerWith: `autotest gates answer ${id} --choice ${options.map(({ choice }) => choice).join('|')}`,
          })),
        }
      }),
  )
}
