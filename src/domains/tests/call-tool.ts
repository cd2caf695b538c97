import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { Sample } from '../../contracts/agent-answer.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { TracedCall } from '../../subagent/runner/trace.js'
import { runToolScript } from '../../subagent/script/run-tool-script.js'
import { readToolScript } from '../../subagent/script/script-format.js'
import { createTestingHost, type TestingHost } from '../../testgen/host-functions.js'
import type { ToolTruth } from '../../testgen/tool-contracts.js'
import { readWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import type { PythonSession } from './python-sessions.js'
import type { TestsScore } from './tests-domain-types.js'
import type { Probe, ToolCase } from './tool-case.js'
import { differencesFrom, type FieldDifference, shortValue } from './tool-findings.js'

/** What a tool did in the workspace of a probe. */
export interface ProbedCall {
  readonly value: unknown
  readonly problem: string | undefined
  /** Texts afterwards of the files that the probe is about. */
  readonly files: Readonly<Record<string, string | null>>
}

/** Runs the script of a tool in the workspace of a probe. The session's workspace has only the probe's files then. */
async function callTool(
  text: string,
  probe: Probe,
  session: PythonSession,
  signal: AbortSignal,
): Promise<ProbedCall & Pick<TracedCall, 'host'>> {
  const host = await preparedHost(probe, session)
  const script = await readToolScript(text)
  const outcome = await runToolScript(script, probe.input, host.functions, signal)
  signal.throwIfAborted()
  const files: Record<string, string | null> = {}
  for (const path of Object.keys(probe.written))
    files[path] = (await readWorkspaceFile(session.worker, path)) ?? null
  return outcome.kind === 'done'
    ? { value: outcome.value, problem: undefined, files, host: outcome.calls }
    : {
        value: undefined,
        problem: outcome.line === undefined ? outcome.message : `line ${outcome.line}: ${outcome.message}`,
        files,
        host: outcome.calls,
      }
}

/** Returns the host of a probe, whose workspace then has only the probe's files. */
export async function preparedHost(probe: Probe, { folder, worker }: PythonSession): Promise<TestingHost> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
  for (const [path, text] of Object.entries(probe.files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const { path, function: qualname, test_path: testPath } = probe.target
  const host = createTestingHost({
    worker,
    target: { path, qualname, testPath },
    writable: [posix.dirname(testPath)],
  })
  for (const [file, text] of Object.entries(probe.wrote))
    await host.functions['write_file']?.({ path: file, text })
  if (probe.ran !== undefined) await host.functions['run_pytest']?.({ path: probe.ran })
  return host
}

/** Returns how a call differs from what its probe asks for. */
export function probeDifferences(
  probe: Probe,
  { value, problem, files }: ProbedCall,
): readonly FieldDifference[] {
  if (probe.fails !== undefined)
    return problem?.includes(probe.fails) === true
      ? []
      : [{ field: 'error', said: problem ?? value, saw: probe.fails }]
  if (problem !== undefined) return [{ field: 'result', said: problem, saw: probe.output }]
  const truth: ToolTruth = { result: probe.output, files: probe.written, filesSeen: files }
  return differencesFrom(truth, value)
}

/** Calls the tool of a case with the script of a snapshot. */
export async function answerProbe(
  { tool, script, probe }: ToolCase,
  snapshot: Snapshot,
  session: PythonSession,
  signal: AbortSignal,
): Promise<Sample> {
  const started = performance.now()
  const bytes = snapshot.files.get(script)
  if (bytes === undefined)
    return { kind: 'no_answer', message: `${script} is not there`, read: [script], ms: 0 }
  const called = await callTool(new TextDecoder().decode(bytes), probe, session, signal)
  const { value, problem, files } = called
  const call: TracedCall = {
    ...{ id: tool, name: tool, arguments: JSON.stringify(probe.input), args: probe.input, script },
    ...{ value, problem, host: called.host, shown: JSON.stringify(problem ?? value) },
    truth: { result: probe.output, files: probe.written, filesSeen: files } satisfies ToolTruth,
  }
  return {
    kind: 'answer',
    text: JSON.stringify({ value: value ?? null, problem, files }),
    read: [script],
    ms: performance.now() - started,
    trace: {
      context: [],
      turns: [{ text: '', calls: [call] }],
      ending: { kind: 'not_submitted', reason: 'a call of one tool alone' },
    },
  }
}

/** Scores what a tool gave. */
export function scoreProbe({ tool, probe }: ToolCase, text: string): TestsScore {
  // Written by this program, so its shape is trusted.
  const called = JSON.parse(text) as ProbedCall
  const differences = probeDifferences(probe, { ...called, problem: called.problem ?? undefined })
  const [first] = differences
  if (first === undefined) return { verdict: 'pass', by: 'results', reason: 'as the probe says' }
  const words = differences.map(
    ({ field, said, saw }) => `${tool} said ${field}: ${shortValue(said)}, the probe says ${shortValue(saw)}`,
  )
  return { verdict: 'fail', reason: words[0] ?? '', differences: words }
}
