import { parseJson } from '../text/parse-json.js'
import type { Redactor } from '../text/secrets.js'
import type { Agent } from './agent.js'
import { sampleExternalAgent } from './external-agent.js'
import { excerpt, expectedAnswer, type Outcome, readAnswer, requestFor } from './external-agent-protocol.js'
import { createMaterializer } from './materialize-snapshot.js'
import { type ProcessEnd, runProcess } from './run-process.js'
import { describeSpawnFailure } from './spawn-failure.js'

export interface CommandAgentOptions {
  /** Program and arguments; no shell interprets them. */
  readonly run: readonly string[]
  /** Absolute path of the project root, the working folder of the program. */
  readonly root: string
  readonly kbFolder: string
  /** Deadline of one answer, in milliseconds. */
  readonly timeoutMs: number
  readonly deterministic: boolean
  /** Names of environment variables it receives besides PATH, HOME, LANG and the like. */
  readonly env: readonly string[]
  readonly redact: Redactor
}

const alwaysGiven = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'USER', 'SHELL']
const stdoutBytes = 1_000_000
const stderrBytes = 2_000

/**
 * Runs any program as an agent: one JSON request on its standard input, one JSON answer on its standard
 * output, one process per question.
 */
export function commandAgent(options: CommandAgentOptions): Agent {
  const { run, root, kbFolder, timeoutMs, deterministic, env, redact } = options
  const copies = createMaterializer(kbFolder)
  const closing = new AbortController()
  const name = `command:${run.join(' ')}`
  return {
    name,
    deterministic,
    ask: (question, snapshot, signal) =>
      sampleExternalAgent(name, copies, snapshot, redact, async (kb): Promise<Outcome> => {
        const given = allowedEnvironment(env)
        const end = await runProcess({
          command: run,
          cwd: root,
          env: given,
          input: `${JSON.stringify(requestFor(question, kb))}\n`,
          timeoutMs,
          stdoutBytes,
          stderrBytes,
          redact,
          // A separate signal: Node warns if many processes listen to one.
          signal: AbortSignal.any(signal === undefined ? [closing.signal] : [signal, closing.signal]),
        })
        const [program = ''] = run
        if (end.kind !== 'not_started') return outcomeOf(end, redact)
        const message = describeSpawnFailure(program, end.code, { cwd: root, path: given['PATH'] })
        return { kind: 'error', message, detail: end.message }
      }),
    async close() {
      closing.abort()
      copies.close()
    },
  }
}

/** Interprets the exit of a program. */
function outcomeOf(end: Exclude<ProcessEnd, { kind: 'not_started' }>, redact: Redactor): Outcome {
  const detail = end.stderr === '' ? undefined : end.stderr
  switch (end.kind) {
    case 'timeout':
      return { kind: 'error', message: `no answer within ${end.timeoutMs / 1000} s`, detail }
    case 'flood':
      return { kind: 'error', message: `more than ${stdoutBytes / 1e6} MB on standard output`, detail }
    case 'aborted':
      return { kind: 'error', message: 'interrupted', detail }
    case 'exited': {
      if (end.signal !== null) return { kind: 'error', message: `it was terminated by ${end.signal}`, detail }
      if (end.code !== 0) return { kind: 'error', message: `it exited with code ${end.code}`, detail }
      const answer = parseJson(end.stdout)
      if (answer !== undefined) return readAnswer(answer, () => redact(end.stdout), end.stdout)
      const message = `standard output is not one JSON value: ${excerpt(redact(end.stdout))}`
      return { kind: 'error', message, detail: detail ?? expectedAnswer }
    }
  }
}

function allowedEnvironment(names: readonly string[]): Record<string, string> {
  const allowed = new Set([...alwaysGiven, ...names])
  const entries = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && (allowed.has(name) || name.startsWith('LC_')) ? [[name, value]] : [],
  )
  return Object.fromEntries(entries)
}
