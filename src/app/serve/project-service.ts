import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOpen } from '../../store/gate-rows.js'
import type { ProjectRequest } from '../project/project-request.js'
import type { NewTests } from '../registry/record-generated.js'
import type { TestingSession } from '../testgen/testing-session.js'
import type { Params, TestResult } from './protocol.js'

export interface ProjectServiceOptions {
  /** Of the project, absolute. */
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => Date
}

/** What a client lets a run spend. */
interface RunLimits {
  readonly limits?: Pick<ProjectRequest, 'maxLlmCalls' | 'maxTokens' | 'maxCost' | 'maxTimeMs'> | undefined
}

/** Of a text that is shown in an editor, in columns. */
const textWidth = 100

/** What an editor asks of a benchmark, its runs and its gates. Each part is loaded when it is first asked for. */
export function createProjectService({ root, env, now }: ProjectServiceOptions) {
  async function store() {
    const { openProjectStore } = await import('../project/project-store.js')
    return openProjectStore({ cwd: root }, now)
  }
  return {
    async run(
      { ids, tags, mode, limits }: Params<'run'> & RunLimits,
      signal: AbortSignal,
      onProgress: (text: string) => void,
    ) {
      const { performRun } = await import('../run/perform-run.js')
      const { reportOf } = await import('../../report/json.js')
      const { detail, exitCode } = await performRun(
        { cwd: root, mode, commit: 'never', ids, tags, ...limits },
        {
          env,
          signal,
          now,
          listener(event) {
            if (event.kind === 'case_finished')
              onProgress(`${event.done} of ${event.total}: ${event.record.caseId}`)
            else if (event.kind === 'waiting' || event.kind === 'calling') onProgress(event.text)
          },
        },
      )
      return { ...reportOf(detail), exitCode }
    },

    async compare({ expected, generated, dialect, engine }: Params<'compare'>) {
      const { loadConfig } = await import('../../config/load.js')
      const { comparePair } = await import('../compare/compare-pair.js')
      const { parseDialect } = await import('../compare/parse-dialect.js')
      const { createProjectEnginePool } = await import('../compare/project-engine-pool.js')
      const config = await loadConfig({ cwd: root })
      const named = dialect === undefined ? config.dialect : parseDialect(dialect, 'dialect')
      const engines = createProjectEnginePool({
        config,
        configured: config,
        dialect: named,
        onNote: () => undefined,
      })
      const place = { file: 'expected', line: 1, column: 1 }
      try {
        const { score } = await comparePair(
          {
            testCase: {
              ...{ kind: 'sql' as const, id: 'compare', question: '', expectedSql: expected, tags: [] },
              ...{
                dialect: named,
                compare: { tolerance: config.scoring.tolerance },
                location: place,
                sqlLocation: place,
              },
            },
            generatedSql: generated,
            generatedDialect: named,
            engine,
          },
          config,
          engines,
          false,
        )
        const { verdict, reason } = score
        return { verdict, reason }
      } finally {
        await engines.close()
      }
    },

    async why({ caseId, limit, form }: Params<'why'>) {
      const { store: opened } = await store()
      try {
        const { historyOfCase } = await import('../project/case-history.js')
        const history = historyOfCase(opened, caseId, { limit })
        if (form === 'entries') return history
        const { caseHistoryLines } = await import('../../report/console/case-history.js')
        const lines = caseHistoryLines(history, { width: textWidth, color: false })
        return `${lines.join('\n')}\n`
      } finally {
        opened.close()
      }
    },

    async cases(path: string, text: string | undefined) {
      const { casesOfFile } = await import('./benchmark-cases.js')
      return casesOfFile(root, path, text, now)
    },

    async registry() {
      const { registryWithRuns } = await import('../registry/registry-with-runs.js')
      return { mappings: Object.fromEntries(await registryWithRuns(root, now)) }
    },

    async recordTests(session: TestingSession, tests: NewTests) {
      const { recordTests } = await import('../registry/record-generated.js')
      await recordTests(session, [tests], now)
      return null
    },

    /** Keeps what became of tests, so that the registry can say it; where there is none, nothing of the project is touched. */
    async recordResults(results: readonly TestResult[]) {
      const { readRegistry } = await import('../registry/registry.js')
      if ((await readRegistry(root)).size === 0) return
      const folder = join(root, 'reports')
      // Whoever only runs tests in an editor is not to find a new folder among what is to be committed.
      if ((await mkdir(folder, { recursive: true })) !== undefined)
        await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
      const { store: opened } = await store()
      try {
        const at = now().toISOString()
        const rows = results.map(({ nodeid: test, outcome, duration }) => ({
          ...{ test, outcome, ms: duration * 1000, at },
        }))
        opened.testResults.record(await realpath(root), rows)
      } finally {
        opened.close()
      }
    },

    async plan({ run }: Params<'plan'>) {
      const { readRepairPlan } = await import('./repair-plan.js')
      return readRepairPlan(root, run, now)
    },

    async gates({ all }: Params<'gates'>) {
      const { store: opened, config } = await store()
      try {
        return opened.gates
          .ofProject(await realpath(config.root))
          .filter((gate) => all || isOpen(gate, now()))
      } finally {
        opened.close()
      }
    },

    async answerGate(answer: Params<'answer_gate'>) {
      const { settleGate } = await import('../gates/answer-gate.js')
      const { store: opened } = await store()
      try {
        const context = { onNote: () => undefined, now }
        const { gate, option, next } = await settleGate(opened, answer, { cwd: root }, context)
        return { id: gate.id, answer: option.answer, next }
      } finally {
        opened.close()
      }
    },

    async applyPlan({ run }: Params<'apply_plan'>) {
      const { applyPlan } = await import('../repairs/apply-plan.js')
      return applyPlan({ cwd: root, plan: run, allowDirty: false }, { onNote: () => undefined, now })
    },

    async rejectPlan({ run, reason }: Params<'reject_plan'>) {
      const { rejectRun } = await import('../repairs/reject-run.js')
      return rejectRun({ cwd: root, run, reason }, { onNote: () => undefined, now })
    },

    async guidelines(question: Params<'guardrails_get_context'>) {
      const { projectRoles } = await import('../roles/project-roles.js')
      const { guidelinesContext } = await import('../../roles/guidelines-context.js')
      const { guidelines } = await projectRoles(root, undefined)
      return guidelinesContext(guidelines, question)
    },
  }
}
