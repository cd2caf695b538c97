import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { createProjectService } from '../serve/project-service.js'
import { createWorkQueue } from '../serve/work-queue.js'
import { bounded, dataNote } from './bounded-result.js'
import { registerCaseTools } from './case-tools.js'
import { registerRepairTools } from './repair-tools.js'
import { readRun, recentRuns } from './run-resources.js'
import { registerRunTools } from './run-tools.js'
import { runId } from './tool-schemas.js'

export interface McpServerOptions {
  /** Of the project, absolute. */
  readonly root: string
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
}

/**
 * Serves a project to agents by the Model Context Protocol: cases, runs, comparisons and histories, and plans of repairs,
 * which are written only where they are verified and confirmed. All that a tool returns is data, and says so.
 */
export function createMcpServer({ root, version, env, now }: McpServerOptions): McpServer {
  const server = new McpServer(
    { name: 'autotest', version },
    {
      instructions: `Tools of autotest, a benchmark of an agent that answers with SQL or unit tests. ${dataNote}`,
    },
  )
  const project = createProjectService({ root, env, now })
  const queue = createWorkQueue()

  const context = { root, now, project, queue }
  registerCaseTools(server, context)
  registerRunTools(server, context)
  registerRepairTools(server, context)

  server.registerResource(
    'runs',
    'autotest://runs',
    { title: 'Latest runs', mimeType: 'application/json' },
    async ({ href }) => resource(href, await recentRuns(root, now)),
  )
  server.registerResource(
    'run',
    new ResourceTemplate('autotest://runs/{run}', { list: undefined }),
    { title: 'Report of a run', mimeType: 'application/json' },
    async ({ href }, { run }) => {
      const { report } = await readRun(root, runId.parse(String(run)), now)
      return resource(href, report)
    },
  )
  return server
}

function resource(uri: string, value: unknown) {
  return { contents: [{ uri, mimeType: 'application/json', text: bounded(value) }] }
}
