import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { z } from 'zod'
import type { Sample } from '../../contracts/agent-answer.js'
import type { CaseRunner } from '../../contracts/case-runner.js'
import { scoreNoAnswer, scoreUnreadable } from '../../contracts/score.js'
import { AutotestError } from '../../errors.js'
import { createEvaluator, type Evaluator } from '../../run/evaluate-case.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { SubagentDefinition } from '../../subagent/definition-types.js'
import type { TurnModel } from '../../subagent/runner/turn-model.js'
import { functionNamed } from '../../testgen/function-named.js'
import { type FunctionDescription, functionDescription } from '../../testgen/python/worker-results.js'
import { importsModule, moduleNameOf, testPathOf } from '../../testgen/test-path.js'
import { answerProbe, scoreProbe } from './call-tool.js'
import { testsCaseRecorder } from './case-recorder.js'
import { killableMutants } from './killable-mutants.js'
import {
  openPythonSession,
  type PythonProject,
  type PythonSession,
  type SessionPool,
  withOverlay,
} from './python-sessions.js'
import { importResult, type TestedFunction, withTestFile } from './run-test-file.js'
import { scoreTests } from './score-tests.js'
import type { TestsCase } from './tests-case.js'
import type { TestsScore, TestsTypes } from './tests-domain-types.js'
import { isOfCase, writeWithAgent } from './write-with-agent.js'

export interface TestsEvaluationContext {
  readonly project: PythonProject
  /** Sessions in which nothing can write but this program. */
  readonly scoring: SessionPool
  /** Sessions whose workspace is empty, for calls of single tools. */
  readonly probing: SessionPool
  /** The agent's definition with the knowledge of a snapshot. */
  readonly definitionOf: (snapshot: Snapshot) => SubagentDefinition
  /** Creates what decides the calls for one case. */
  readonly model: (
    testCase: TestsCase,
    tested: TestedFunction,
    number: number,
  ) => (session: PythonSession) => TurnModel
  readonly agent: CaseRunner<TestsTypes>['agent']
  /** Folder for new test files, relative to the project; undefined: its usual one. */
  readonly testFolder: string | undefined
  readonly threshold: number
  /** Seconds of the search for killable mutants. */
  readonly seconds: number
  readonly timeoutMs: number
  /** Functions that are worked on at a time: each keeps a processor busy. */
  readonly concurrency: number
  /** Milliseconds on a monotonic clock. */
  readonly clock: () => number
  readonly signal: AbortSignal
}

/** Asks an agent for tests, and scores what it writes. */
export function createTestsEvaluator(context: TestsEvaluationContext): Evaluator<TestsTypes> {
  const runner = createTestsRunner(context)
  const limit = pLimit(context.concurrency)
  return createEvaluator(
    {
      ...runner,
      ask: (...question) => limit(() => runner.ask(...question)),
      score: (...answer) => limit(() => runner.score(...answer)),
    },
    context.clock,
  )
}

const describeTimeoutMs = 30_000

function createTestsRunner(context: TestsEvaluationContext): CaseRunner<TestsTypes> {
  const { project, scoring, signal: ended } = context
  const killable = new Map<string, Promise<ReadonlySet<number>>>()

  async function killableOf(testCase: TestsCase, tested: TestedFunction) {
    const known = killable.get(testCase.id)
    if (known !== undefined) return known
    const expected =
      testCase.expectedTests === undefined ? undefined : await textIn(project, testCase.expectedTests)
    const finding = scoring.use((session) =>
      withOverlay(session, testCase.overlay, () =>
        killableMutants(session, tested, expected, context.seconds),
      ),
    )
    killable.set(testCase.id, finding)
    finding.catch(() => killable.delete(testCase.id))
    return finding
  }

  return {
    agent: context.agent,
    hasJudge: false,
    async ask(testCase, snapshot, number, signal = ended): Promise<Sample> {
      const started = context.clock()
      try {
        if (testCase.kind === 'tool')
          return await context.probing.use((session) => answerProbe(testCase, snapshot, session, signal))
        const { tested, source } = await prepare(testCase, context)
        const session = await openPythonSession(project, [folderOf(tested)], signal)
        try {
          return await withOverlay(session, testCase.overlay, async () => {
            await requireImport(session, tested)
            return writeWithAgent({
              definition: context.definitionOf(snapshot),
              snapshot,
              session,
              tested,
              source,
              description: await describedIn(session, tested),
              spec: testCase.spec,
              model: context.model(testCase, tested, number),
              timeoutMs: context.timeoutMs,
              signal,
            })
          })
        } finally {
          await session.close()
        }
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof AutotestError) || !isOfCase(error)) throw error
        const { message, hint } = error
        return {
          kind: 'error',
          message: hint === undefined ? message : `${message} (${hint})`,
          ms: context.clock() - started,
        }
      }
    },
    async score(testCase, sample, _isJudged, signal = ended): Promise<TestsScore> {
      // The message says whose failure it is: the module's, Python's, the model's.
      if (sample.kind === 'error') return { verdict: 'error', errorCause: 'agent', reason: sample.message }
      if (sample.kind === 'unreadable') return scoreUnreadable(sample.message)
      if (testCase.kind === 'tool')
        return sample.kind === 'answer' ? scoreProbe(testCase, sample.text) : scoreNoAnswer(sample.message)
      try {
        const { tested, before } = await prepare(testCase, context)
        if (sample.kind === 'no_answer') {
          const [example] = await scoring.use((session) =>
            withOverlay(session, testCase.overlay, () => failingDoctests(session, tested)),
          )
          return example === undefined
            ? scoreNoAnswer(sample.message)
            : {
                verdict: 'error',
                errorCause: 'suspect_oracle',
                reason: `an example in the docstring does not hold, correct one of the two: ${example}`,
              }
        }
        const buggy = testCase.buggy === undefined ? undefined : await textIn(project, testCase.buggy)
        const { spec = '', minMutationScore: threshold = context.threshold } = testCase
        const killable = await killableOf(testCase, tested)
        return await scoring.use((session) =>
          withOverlay(session, testCase.overlay, () =>
            withTestFile(session, tested, sample.text, before, (file) =>
              scoreTests(
                {
                  ...{ text: sample.text, before: before ?? '', spec, threshold, buggy },
                  killable,
                },
                file,
              ),
            ),
          ),
        )
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof AutotestError) || !isOfCase(error)) throw error
        return { verdict: 'error', errorCause: 'engine', reason: error.message }
      }
    },
    scoringKey: (testCase) => JSON.stringify(testsCaseRecorder.identity(testCase)),
  }
}

/** Throws `python_failed` for a module that cannot be imported: no model need be asked about it. */
async function requireImport({ worker }: PythonSession, { path }: TestedFunction): Promise<void> {
  const { problem } = await worker.call('import_module', { path }, importResult, describeTimeoutMs)
  if (problem !== null) throw new AutotestError('python_failed', `${path} cannot be imported: ${problem}`)
}

function failingDoctests(
  { worker }: PythonSession,
  { path, qualname }: TestedFunction,
): Promise<readonly string[]> {
  return worker.call('failing_doctests', { path, qualname }, z.array(z.string()), describeTimeoutMs)
}

interface Prepared {
  readonly tested: TestedFunction
  readonly source: string
  /** Text of the test file; undefined if there is none. */
  readonly before: string | undefined
}

/** Reads the function's file and finds the file for its tests, in the user's own tree. */
async function prepare(
  { file, function: qualname = '', overlay }: TestsCase,
  context: TestsEvaluationContext,
): Promise<Prepared> {
  const { project, testFolder } = context
  const own = overlay?.get(file)
  if (own === undefined && !project.files.includes(file))
    throw new AutotestError('python_file', `there is no file ${file} in the project`)
  const module = moduleNameOf(file, project.files)
  const testPath = await testPathOf(file, project.files, testFolder, async (path) =>
    importsModule(await textIn(project, path), module),
  )
  const before = project.files.includes(testPath) ? await textIn(project, testPath) : undefined
  return { tested: { path: file, qualname, testPath }, source: own ?? (await textIn(project, file)), before }
}

function folderOf({ testPath }: TestedFunction): string {
  return testPath.slice(0, Math.max(0, testPath.lastIndexOf('/'))) || '.'
}

async function textIn({ root, files }: PythonProject, path: string): Promise<string> {
  if (!files.includes(path)) throw new AutotestError('python_file', `there is no file ${path} in the project`)
  return readFile(join(root, path), 'utf8')
}

async function describedIn(
  { worker }: PythonSession,
  { path, qualname }: TestedFunction,
): Promise<FunctionDescription> {
  const functions = await worker.call('describe', { path }, z.array(functionDescription), describeTimeoutMs)
  return functionNamed(path, qualname, functions)
}
