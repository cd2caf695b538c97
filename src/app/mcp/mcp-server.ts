import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { loadConfig } from '../../config/load.js'
import { AutotestError, messageOf } from '../../errors.js'
import { createProjectService } from '../serve/project-service.js'
import { createWorkQueue } from '../serve/work-queue.js'
import { applyConfirmed } from './apply-confirmed.js'
import { bounded, dataNote } from './bounded-result.js'
import { planDigest } from './plan-digest.js'
import { readRun, recentRuns } from './run-resources.js'

export interface McpServerOptions {
  /** Of the project, absolute. */
  readonly root: string
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
}

/** Ids alone: a path would let a client name a plan that nobody has verified. */
const runId = z.string().regex(/^(?:r-[0-9a-f]{4,32}|last)$/, 'the id of a run, as r-7f3a, or last')
const caseId = z.string().min(1).max(200)
const sql = z.string().min(1).max(100_000)
const names = z.array(z.string().min(1).max(200)).max(200)

/**
 * Serves a project to agents by the Model Context Protocol: runs, comparisons and histories, and plans of repairs, which are
 * written only where they are verified and confirmed. All that a tool returns is data, and says so.
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

  server.registerTool(
    'run',
    {
      title: 'Run the benchmark',
      description:
        'Asks the agent the cases of the benchmark and scores its answers. Writes no file of the project; with repairs=plan, verified repairs are planned (see the tool plan).',
      inputSchema: {
        ids: names.optional().describe('only these cases'),
        tags: names.optional().describe('only cases with any of these tags'),
        repairs: z.enum(['none', 'plan']).default('none'),
      },
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    ({ ids, tags, repairs }, { signal }) =>
      answered(async () => {
        const mode = repairs === 'plan' ? 'dry_run' : 'evaluate'
        const work = () => project.run({ ids, tags, mode }, signal, () => undefined)
        const report = await queue.add(work, signal, false)
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
      description: 'Tells whether two SQL queries give the same, by structure and by running both read-only.',
      inputSchema: { expected: sql, generated: sql, dialect: z.string().max(40).optional() },
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    ({ expected, generated, dialect }, { signal }) =>
      answered(async () => {
        // The configured database and no other: a client may name none.
        const { engine } = await loadConfig({ cwd: root })
        return queue.add(() => project.compare({ expected, generated, dialect, engine }), signal, true)
      }),
  )

  server.registerTool(
    'why',
    {
      title: 'History of a case',
      description: 'The outcome of a case in earlier runs, what changed, and its repairs.',
      inputSchema: { case: caseId, limit: z.number().int().min(1).max(50).default(10) },
      annotations: { readOnlyHint: true, idempotentHint: true },
    },
    ({ case: id, limit }) => answered(() => project.why({ caseId: id, limit, form: 'text' })),
  )

  server.registerTool(
    'plan',
    {
      title: 'Planned repairs',
      description:
        'The verified repairs of a run with repairs=plan: diffs and evidence, and the digest by which apply is confirmed.',
      inputSchema: { run: runId },
      annotations: { readOnlyHint: true, idempotentHint: true },
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
        'Writes the verified repairs of a run, all or none. Show the plan to a person first: confirm is the digest that the tool plan returned for it. autotest revert RUN takes them back.',
      inputSchema: { run: runId, confirm: z.string().regex(/^[0-9a-f]{16}$/, 'the digest of the plan') },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    },
    ({ run, confirm }) => answered(() => applyConfirmed({ root, run, confirm, now }, server)),
  )

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

/** Returns what a tool found, or what went wrong and what to do; never throws. */
async function answered(work: () => Promise<unknown> | unknown) {
  try {
    const value = await work()
    return { content: [{ type: 'text' as const, text: bounded(value) }] }
  } catch (error) {
    const hint = error instanceof AutotestError ? error.hint : undefined
    const problem = { error: messageOf(error), hint }
    return { isError: true, content: [{ type: 'text' as const, text: bounded(problem) }] }
  }
}
