import { posix } from 'node:path'
import type { Config } from '../../config/config.js'
import { subagentDefaults } from '../../config/config.js'
import { openPythonSession, withOverlay } from '../../domains/tests/python-sessions.js'
import { writeWithAgent } from '../../domains/tests/write-with-agent.js'
import { loadSnapshot } from '../../snapshot/load.js'
import { loadDefinition } from '../../subagent/definition.js'
import { llmTurnModel } from '../../subagent/runner/llm-turn-model.js'
import { mutantScore, testStructure } from '../../testgen/python/worker-results.js'
import { readWorkspaceFile, writeWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import { composeLlm } from '../models/compose-llm.js'
import { withShippedDefinitions } from '../models/shipped-definitions.js'
import type { FunctionTarget } from '../testgen/function-targets.js'
import type { Generated } from '../testgen/generate-tests.js'
import { testFileOf } from '../testgen/test-file-of.js'
import type { TestingSession } from '../testgen/testing-session.js'

export interface ModelWriterOptions {
  readonly config: Config
  /** As configured; undefined: the usual one. */
  readonly testsFolder: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Texts that stand in place of what is on the disk, by path. */
  readonly unsaved: ReadonlyMap<string, string>
  readonly signal: AbortSignal
  readonly onProgress: (text: string) => void
}

const timeoutMs = 30_000
const mutantSeconds = 60

/**
 * Returns what lets the project's agent write tests of a function, once for each call. It works in a copy of its own, where it can write to the folder of
 * the test file only; its tests are judged in the session, where it has no hands. Throws what a model without a key or an address throws.
 */
export async function openModelWriter({
  config,
  testsFolder,
  env,
  unsaved,
  signal,
  onProgress,
}: ModelWriterOptions) {
  const { agent, agents, root, limits } = config
  const path = agent.kind === 'subagent' ? agent.definition : subagentDefaults.definition
  const snapshot = await withShippedDefinitions((await loadSnapshot(root, [agents])).snapshot, agents)
  const { definition } = loadDefinition(snapshot, agents, path)
  const { llm, modelOf } = composeLlm({
    ...{ config, snapshot, env, record: undefined, replay: undefined, judgements: undefined },
    ...{
      already: new Map(),
      known: new Map(),
      onWait: onProgress,
      onCalling: onProgress,
      onNote: onProgress,
    },
    async onCall() {
      return async () => undefined
    },
  })
  const model = await modelOf('test_writer', path)
  return async (session: TestingSession, target: FunctionTarget, attempt: number): Promise<Generated> => {
    const { worker } = session
    const testFile = await testFileOf(target.path, session, testsFolder)
    const tested = { path: target.path, qualname: target.description.qualname, testPath: testFile }
    const before = await readWorkspaceFile(worker, testFile)
    const source = (await readWorkspaceFile(worker, target.path)) ?? ''
    const own = await openPythonSession(session, [posix.dirname(testFile)], signal)
    try {
      const answer = await withOverlay(own, unsaved, () =>
        writeWithAgent({
          ...{ definition, snapshot, session: own, tested, source, spec: undefined, signal },
          description: target.description,
          model: () =>
            llmTurnModel({ llm, model, role: 'test_writer', caseId: tested.qualname, sample: attempt - 1 }),
          timeoutMs: limits.agentTimeoutMs,
        }),
      )
      if (answer.kind !== 'answer') return nothing(target, testFile, answer.message)
      const { new: names, problems } = await worker.call(
        'check_tests',
        { text: answer.text, before: before ?? '', path: tested.path, qualname: tested.qualname },
        testStructure,
        timeoutMs,
      )
      const wrong = problems.find(({ severity }) => severity === 'error')
      if (wrong !== undefined) return nothing(target, testFile, wrong.message)
      if (names.length === 0) return nothing(target, testFile, 'the model wrote no new test')
      await writeWorkspaceFile(worker, testFile, answer.text)
      const { mutants } = await worker.call(
        'score_mutants',
        {
          ...{ path: tested.path, qualname: tested.qualname, all_killers: true },
          tests: [testFile],
          seconds: mutantSeconds,
        },
        mutantScore,
        5000 * mutantSeconds,
      )
      return {
        functions: [{ target, testFile, names, mutants, ...nothingSeen }],
        files: [{ path: testFile, before, after: answer.text }],
      }
    } finally {
      await own.close()
    }
  }
}

const nothingSeen = { suspects: [], hints: [], dependent: [] } as const

function nothing(target: FunctionTarget, testFile: string, problem: string): Generated {
  return { functions: [{ target, testFile, names: [], mutants: [], ...nothingSeen, problem }], files: [] }
}
