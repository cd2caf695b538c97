import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { loadConfig } from '../../config/load.js'
import { answered } from './answered.js'
import type { ToolContext } from './tool-context.js'
import { toolArguments, toolResults } from './tool-schemas.js'

/** Registers what asks agent and database. */
export function registerRunTools(server: McpServer, { root, project, queue }: ToolContext): void {
  server.registerTool(
    'run',
    {
      title: 'Run the benchmark',
      description:
        'Asks the agent the cases of the benchmark and scores its answers; where the agent is a model, that costs what its calls cost. Writes no file of the project but its run database; with repairs=plan, verified repairs are planned (see the tool plan).',
      inputSchema: toolArguments.run,
      outputSchema: toolResults.run,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    ({ ids, tags, repairs, ...limits }, { signal, _meta, sendNotification }) =>
      answered(async () => {
        const token = _meta?.progressToken
        let progress = 0
        const onProgress = (message: string): void => {
          if (token === undefined || message === '') return
          progress += 1
          const params = { progressToken: token, progress, message }
          void sendNotification({ method: 'notifications/progress', params }).catch(() => undefined)
        }
        const request = {
          ...{ ids, tags, mode: repairs === 'plan' ? ('dry_run' as const) : ('evaluate' as const) },
          limits: {
            maxLlmCalls: limits.max_llm_calls,
            maxTokens: limits.max_tokens,
            maxCost: limits.max_cost,
            maxTimeMs: limits.max_seconds === undefined ? undefined : limits.max_seconds * 1000,
          },
        }
        const report = await queue.add(() => project.run(request, signal, onProgress), signal, false)
        const failing = report.cases.filter(({ outcome }) => outcome !== 'passed')
        return {
          run: report.run.id,
          exitCode: report.exitCode,
          summary: report.summary,
          failing: failing.map(({ id, outcome, cause, differences }) => ({
            id,
            outcome,
            cause,
            differences,
          })),
          repairs: report.repairs.map(({ id, title, outcome, grade }) => ({ id, title, outcome, grade })),
        }
      }),
  )
  server.registerTool(
    'compare',
    {
      title: 'Compare two queries',
      description:
        'Says whether two SQL queries give the same, by structure and by running both read-only on the configured database.',
      inputSchema: toolArguments.compare,
      outputSchema: toolResults.compare,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    },
    ({ expected, generated, dialect }, { signal }) =>
      answered(async () => {
        // The configured database and no other: a client may name none.
        const { engine } = await loadConfig({ cwd: root })
        return queue.add(() => project.compare({ expected, generated, dialect, engine }), signal, true)
      }),
  )
}
