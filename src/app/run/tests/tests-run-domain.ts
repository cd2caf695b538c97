import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { loadCases } from '../../../benchmark/load.js'
import type { AgentConfig, Config } from '../../../config/config.js'
import { testsCaseRecorder } from '../../../domains/tests/case-recorder.js'
import { createTestsEvaluator, type TestsEvaluationContext } from '../../../domains/tests/evaluator.js'
import { expandCases } from '../../../domains/tests/expand-cases.js'
import { createSessionPool, openPythonSession } from '../../../domains/tests/python-sessions.js'
import { rulesModel } from '../../../domains/tests/rules-model.js'
import { testsCaseKind } from '../../../domains/tests/tests-case.js'
import type { TestsTypes } from '../../../domains/tests/tests-domain-types.js'
import type { ToolCase } from '../../../domains/tests/tool-case.js'
import { loadSnapshot } from '../../../snapshot/load.js'
import { loadDefinition } from '../../../subagent/definition.js'
import { llmTurnModel } from '../../../subagent/runner/llm-turn-model.js'
import { asksModelForTests } from '../../models/llm-requirements.js'
import { absentBenchmarkFiles } from '../../project/absent-cases.js'
import { loadCasesOf, type Project } from '../../project/project.js'
import { projectFiles } from '../../project/project-files.js'
import type { ProjectRequest } from '../../project/project-request.js'
import { openPythonProject } from '../../testgen/open-python-project.js'
import type { OpenPartsOptions, RunDomain, RunParts } from '../run-state.js'
import { probesOf } from './read-probes.js'
import { repairTools } from './repair-tools-step.js'
import { repeatedTurns } from './repeated-turns.js'

type SubagentConfig = Extract<AgentConfig, { kind: 'subagent' }>

/** The writer's seed, so that equal runs write equal tests. */
const writerSeed = 1

/** Loads a project whose agent writes unit tests. */
export async function loadTestsDomain(
  request: ProjectRequest,
  config: Config,
  agent: SubagentConfig,
): Promise<RunDomain> {
  const root = resolve(config.root, config.tests.project)
  const files = await projectFiles(root)
  const project = await loadCasesOf<TestsTypes['case']>(request, config, async (options) => {
    const { cases } = await loadCases(options, [testsCaseKind])
    const functions = await expandCases(cases, files, (file) => readFile(join(root, file), 'utf8'))
    return {
      cases: [...functions, ...(await probes(config, agent))],
      unlisted: await absentBenchmarkFiles(config),
    }
  })
  return {
    project,
    repairerExample: async () =>
      (await import('../../../domains/tests/repair/llm-proposer.js')).toolRepairerExample,
    async checkKnowledge({ problems }, note) {
      for (const { path, message } of problems) note(`${path}: ${message}`)
    },
    unusable: (_snapshot, unread) => unread,
    open: (options) => openParts(options, { request, project, agent, root, files }),
  }
}

/** Returns the probes of the agent's tools. Throws `agent_invalid` for a definition that cannot be used. */
async function probes(
  { root, agents }: Config,
  { definition }: SubagentConfig,
): Promise<readonly ToolCase[]> {
  const { snapshot } = await loadSnapshot(root, [agents])
  return probesOf(loadDefinition(snapshot, agents, definition).definition, snapshot)
}

interface TestsProject {
  readonly request: ProjectRequest
  readonly project: Project<TestsTypes['case']>
  readonly agent: SubagentConfig
  /** Of the Python project, absolute. */
  readonly root: string
  readonly files: readonly string[]
}

async function openParts(
  { onProgress, llm, env, signal }: OpenPartsOptions,
  { request, project: { config, benchmark }, agent, root, files }: TestsProject,
): Promise<RunParts<TestsTypes>> {
  const unsandboxed = request.unsandboxed === true
  const project = await openPythonProject({ root, python: config.tests.python, unsandboxed, env })
  const { python, sandbox } = project
  onProgress(`Python ${python.version} at ${python.executable} · ${sandbox.description}`)
  // Nothing that runs while tests are scored may change what they are scored with.
  const scoring = createSessionPool(() => openPythonSession(project, [], signal))
  const probing = createSessionPool(() => openPythonSession({ ...project, files: [] }, undefined, signal))
  const model = asksModelForTests(config) ? await llm?.modelOf('test_writer', agent.definition) : undefined
  const repeated = await repeatedTurns(request, agent)
  const { seconds, minMutationScore: threshold, folder: testFolder } = config.tests
  const writerModel: TestsEvaluationContext['model'] =
    ({ id: caseId }, tested, sample) =>
    (session) => {
      if (repeated !== undefined) return repeated.modelOf(caseId)
      if (model === undefined || llm === undefined)
        return rulesModel(session, tested, { seconds, seed: writerSeed })
      return llmTurnModel({ llm: llm.llm, model, role: 'test_writer', caseId, sample })
    }
  const evaluator = createTestsEvaluator({
    project,
    scoring,
    probing,
    definitionOf: (snapshot) => loadDefinition(snapshot, config.agents, agent.definition).definition,
    model: writerModel,
    agent: {
      name: `subagent ${agent.definition} (${model?.model ?? agent.model ?? 'rules'})`,
      deterministic: model === undefined,
    },
    testFolder,
    threshold,
    seconds,
    timeoutMs: config.limits.agentTimeoutMs,
    concurrency: Math.min(config.limits.concurrency, availableParallelism()),
    clock: () => performance.now(),
    signal,
  })
  return {
    evaluator,
    recorder: testsCaseRecorder,
    conditions: {
      engine: `python ${python.version}`,
      dialect: 'python',
      asOf: '',
      policy: `mutants ${threshold}`,
      tolerance: 0,
      fuzz: 0,
      seed: writerSeed,
      agent: evaluator.agent.name,
      project: await hashOf(root, files),
    },
    labelBaseline: async (_started, baseline) => baseline,
    repair: (started, { cases }, failing, recorded) =>
      repairTools({ started, cases, evaluator, sessions: probing, root, benchmark }, failing, recorded),
    async close() {
      await Promise.all([scoring.close(), probing.close()])
    },
  }
}

/** Returns a hash of the Python files of a project, on which every answer depends. */
async function hashOf(root: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files.filter((path) => path.endsWith('.py')))
    hash.update(`${file}\0`).update(await readFile(join(root, file)).catch(() => ''))
  return hash.digest('hex').slice(0, 16)
}
