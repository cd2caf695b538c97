import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { replayCommand } from '../../report/format-text.js'
import { caseOfRun } from '../project/case-history.js'
import { listCases } from '../project/list-cases.js'
import { answered } from './answered.js'
import { readRun } from './run-resources.js'
import type { ToolContext } from './tool-context.js'
import { toolArguments, toolResults } from './tool-schemas.js'

/** Registers what only looks at cases. */
export function registerCaseTools(server: McpServer, { root, now, project }: ToolContext): void {
  server.registerTool(
    'list_cases',
    {
      title: 'Cases of the benchmark',
      description: 'The cases of the benchmark in its order, with what became of each in its latest run.',
      inputSchema: toolArguments.list_cases,
      outputSchema: toolResults.list_cases,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    (request) => answered(() => listCases({ cwd: root, ...request }, now)),
  )
  server.registerTool(
    'show_case',
    {
      title: 'One case of a run',
      description:
        'A case of a run in full: question, expected query, the query of the agent, what differs, the knowledge that was read, and its cause.',
      inputSchema: toolArguments.show_case,
      outputSchema: toolResults.show_case,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ case: id, run }) =>
      answered(async () => {
        const { id: itsRun, report, detail } = await readRun(root, run, now)
        caseOfRun(detail, id)
        const shown = report.cases.find((each) => each.id === id)
        const repairs = report.repairs.filter((each) => each.cases.includes(id))
        return { run: itsRun, ...shown, repairs, rerun: replayCommand(id, detail.run.options) }
      }),
  )
  server.registerTool(
    'why',
    {
      title: 'History of a case',
      description: 'The outcome of a case in earlier runs, what changed, and its repairs.',
      inputSchema: toolArguments.why,
      outputSchema: toolResults.why,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ case: id, limit }) =>
      answered(async () => ({
        case: id,
        history: await project.why({ caseId: id, limit, form: 'text' }),
      })),
  )
}
