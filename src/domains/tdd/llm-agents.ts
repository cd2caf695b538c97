import { z } from 'zod'
import type { Role as ModelRole } from '../../enums/role.js'
import { AutotestError } from '../../errors.js'
import type { Role } from '../../roles/role.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { SubagentDefinition } from '../../subagent/definition-types.js'
import type { RoleExample } from '../../subagent/role-check.js'
import { runSubagent } from '../../subagent/runner/run-subagent.js'
import type { TurnModel } from '../../subagent/runner/turn-model.js'
import { isTestFile } from '../../testgen/test-path.js'
import { type Diagnosis, diagnosticReport } from './diagnosis.js'
import type { AgentTurn, TaskAgents, TurnResult } from './task-agents.js'
import { createTaskHost } from './task-host.js'
import type { TaskState } from './task-state.js'

/** An agent of a role that a model plays. */
export interface ModelAgent {
  readonly role: Role
  readonly definition: SubagentDefinition
  /**
   * Creates the model for one turn of work.
   *
   * @param work names it, and is the same after a restart, so that what was answered is not asked again
   */
  readonly model: (work: string) => TurnModel
}

export interface ModelAgents {
  /** Holds the scripts of their tools. */
  readonly snapshot: Snapshot
  /** Files of the project, relative to it. */
  readonly files: readonly string[]
  /** Milliseconds for one turn of work. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** What the templates of the three definitions may name, and what they must answer. */
export const taskExamples: Readonly<Partial<Record<ModelRole, RoleExample>>> = {
  test_writer: {
    variables: exampleVariables(),
    needed: ['task', 'criteria', 'test_path'],
    answers: [[{ summary: 's' }]],
  },
  coder: {
    variables: exampleVariables(),
    needed: ['task', 'tests', 'failing'],
    answers: [[{ summary: 's' }]],
  },
  debugger: {
    variables: exampleVariables(),
    needed: ['failing'],
    answers: [
      [
        {
          ...{
            root_cause: 'c',
            file: 'src/a.py',
            function: 'f',
            line: 1,
            analysis: ['a'],
            expected: '1',
            actual: '2',
          },
          ...{ recommended_fix: 'f', confidence: 'high', rationale: 'r', other_causes: [] },
        },
      ],
    ],
  },
}

const submitted = z.looseObject({ summary: z.string() })
const diagnosed = z.looseObject({
  root_cause: z.string(),
  file: z.string(),
  function: z.string(),
  line: z.int(),
  analysis: z.array(z.string()),
  expected: z.string(),
  actual: z.string(),
  recommended_fix: z.string(),
  confidence: z.enum(['high', 'medium', 'low']),
  rationale: z.string(),
  other_causes: z.array(z.string()),
})

/** Returns the test-writer that a model plays. */
export function modelTestWriter(agent: ModelAgent, shared: ModelAgents): TaskAgents['writeTests'] {
  return async (turn) => {
    const { value, ...made } = await work(agent, shared, turn, `tests ${turn.complaints.length}`, {})
    return { ...made, summary: submitted.parse(value).summary, modules: [] }
  }
}

/** Returns the coder that a model plays. */
export function modelCoder(
  agent: ModelAgent,
  shared: ModelAgents,
): Pick<TaskAgents, 'writeCode'> & { readonly refactor: NonNullable<TaskAgents['refactor']> } {
  const code = async (turn: AgentTurn, phase: string): Promise<TurnResult> => {
    const { value, ...made } = await work(agent, shared, turn, `${phase} ${turn.state.attempt}`, { phase })
    return { ...made, summary: submitted.parse(value).summary }
  }
  return { writeCode: (turn) => code(turn, 'green'), refactor: (turn) => code(turn, 'refactor') }
}

/** Returns the debugger that a model plays. */
export function modelDebugger(agent: ModelAgent, shared: ModelAgents): TaskAgents['diagnose'] {
  return async (turn): Promise<Diagnosis> => {
    const { value } = await work(agent, shared, turn, `diagnose ${turn.state.attempt}`, {})
    const said = diagnosed.parse(value)
    return {
      rootCause: said.root_cause,
      location: { file: said.file, function: said.function, line: said.line },
      analysis: said.analysis,
      expected: said.expected,
      actual: said.actual,
      recommendedFix: said.recommended_fix,
      confidence: said.confidence,
      rationale: said.rationale,
      others: said.other_causes.map((cause) => ({
        rootCause: cause,
        location: { file: said.file, function: said.function, line: said.line },
        recommendedFix: '',
      })),
      fixes: [],
    }
  }
}

async function work(
  { role, definition, model }: ModelAgent,
  { snapshot, files, timeoutMs, signal }: ModelAgents,
  turn: AgentTurn,
  name: string,
  more: Readonly<Record<string, unknown>>,
): Promise<Pick<TurnResult, 'files' | 'refused'> & { readonly value: unknown }> {
  const { state } = turn
  const testFiles = testFilesIn(state)
  const host = createTaskHost(await turn.session(), role, [...files, ...Object.keys(state.files)], testFiles)
  const trace = await runSubagent({
    definition,
    snapshot,
    variables: { ...variablesOf(turn), ...more },
    host: host.functions,
    model: model(name),
    timeoutMs,
    signal,
  })
  const { ending } = trace
  if (ending.kind === 'not_submitted' && role.writes.length === 0)
    throw new AutotestError('agent_failed', `${role.name}: ${ending.reason}`)
  // What was written counts, whether or not the model said that it is done.
  const value = ending.kind === 'submitted' ? ending.value : { summary: ending.reason }
  return { files: Object.fromEntries(host.written), refused: host.refused, value }
}

function testFilesIn({ task, files }: TaskState): readonly string[] {
  return [...new Set([task.testPath, ...Object.keys(files).filter(isTestFile)])]
}

function variablesOf({ state, sources, complaints }: AgentTurn): Readonly<Record<string, unknown>> {
  const { task, files, failing, failures, diagnosis, attempt } = state
  const tests = Object.entries(files).flatMap(([path, text]) =>
    isTestFile(path) && text !== null ? [{ path, text }] : [],
  )
  return {
    task: task.task,
    design: task.design,
    criteria: task.criteria,
    interfaces: task.interfaces,
    test_path: task.testPath,
    complaints,
    tests,
    failing: failing.map((each) => ({ ...each, times: failures[each.test] ?? 0 })),
    diagnosis: diagnosis === null ? '' : diagnosticReport(diagnosis),
    attempts: attempt,
    sources,
    phase: 'green',
  }
}

function exampleVariables(): Readonly<Record<string, unknown>> {
  return {
    ...{
      task: 'Discounts',
      design: 'd',
      criteria: ['discount(100, 10) == 90'],
      interfaces: ['src/a.py: def f()'],
    },
    ...{
      test_path: 'tests/unit/test_a.py',
      complaints: ['c'],
      tests: [{ path: 'tests/unit/test_a.py', text: 't' }],
    },
    ...{
      failing: [{ test: 't', message: 'm', times: 4 }],
      diagnosis: 'd',
      attempts: 4,
      sources: ['src/a.py'],
    },
    phase: 'green',
  }
}
