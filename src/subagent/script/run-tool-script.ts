import { type InterpreterProcess, returnInterpreter, takeInterpreter } from './interpreter-pool.js'
import { interpreterSource } from './interpreter-source.js'
import type { ToolScript } from './script-format.js'
import type { FromInterpreter, ScriptLimits, ToInterpreter } from './script-messages.js'

/** A function of the host, called with its arguments by name. Throws `HostError` for what the script may catch. */
export type HostFunction = (args: Readonly<Record<string, unknown>>) => Promise<unknown> | unknown

/** An exception that a host function raises in the script, by a name that Python knows. */
export class HostError extends Error {
  readonly type: string

  constructor(
    type: 'ValueError' | 'KeyError' | 'FileNotFoundError' | 'PermissionError' | 'RuntimeError',
    message: string,
  ) {
    super(message)
    this.type = type
  }
}

/** One call of the host by a script, and what it answered: the truth that a tool's result is compared with. */
export interface HostCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly answer: { readonly value: unknown } | { readonly error: string }
}

export type ScriptOutcome = { readonly calls: readonly HostCall[]; readonly output: string } & (
  | { readonly kind: 'done'; readonly value: unknown }
  /** `line` is that of the script. */
  | { readonly kind: 'failed'; readonly message: string; readonly line?: number | undefined }
)

export const scriptLimits: ScriptLimits = {
  seconds: 2,
  wallMs: 60_000,
  memoryBytes: 64_000_000,
  calls: 200,
  output: 10_000,
}

/**
 * Runs a tool script in another process, which is killed at its deadline. Never rejects: whatever a script does is
 * an outcome.
 *
 * @param args by their keys, as the tool's schema has them
 * @param host functions that its stubs may name; others are not there
 */
export async function runToolScript(
  script: ToolScript,
  args: Readonly<Record<string, unknown>>,
  host: Readonly<Record<string, HostFunction>>,
  signal: AbortSignal,
  limits: ScriptLimits = scriptLimits,
): Promise<ScriptOutcome> {
  const problem = problemOf(script, args, host)
  if (problem !== undefined) return { kind: 'failed', ...problem, calls: [], output: '' }
  const { source, inputs, externals } = interpreterSource(script, new Set(Object.keys(args)))
  const given = Object.fromEntries([...inputs].map(([key, variable]) => [variable, args[key] ?? null]))
  const calls: HostCall[] = []
  const child = takeInterpreter()
  return new Promise((resolve) => {
    const end = (outcome: ScriptOutcome, isUsable: boolean): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      returnInterpreter(child, isUsable)
      resolve(outcome)
    }
    const fail = (message: string): void => end({ kind: 'failed', message, calls, output: '' }, false)
    const onAbort = (): void => fail('interrupted')
    const timer = setTimeout(() => fail(`it did not end in ${limits.wallMs / 1000} s`), limits.wallMs)
    signal.addEventListener('abort', onAbort, { once: true })
    child.on('error', (error) => fail(`its interpreter cannot be started: ${error.message}`))
    child.on('exit', (code, by) => fail(`its interpreter ended: ${by ?? `exit code ${code}`}`))
    child.on('message', (message: FromInterpreter) => {
      if (message.kind === 'done')
        end({ kind: 'done', value: toJson(message.value), calls, output: message.output }, true)
      else if (message.kind === 'failed') {
        const { type, message: text, line, output } = message
        // A script that reached a limit may have left memory behind.
        end(
          { kind: 'failed', message: [type, text].filter(Boolean).join(': '), line, calls, output },
          type !== 'MemoryError' && type !== 'TimeoutError',
        )
      } else void answer(message, script, externals, host, calls).then((reply) => send(child, reply))
    })
    send(child, { kind: 'run', source, inputs: given, externals: [...externals.keys()], limits })
  })
}

function send(child: InterpreterProcess, message: ToInterpreter): void {
  if (child.connected) child.send(message, () => undefined)
}

function problemOf(
  { problems, inputs, externals }: ToolScript,
  args: Readonly<Record<string, unknown>>,
  host: Readonly<Record<string, HostFunction>>,
): { message: string; line?: number } | undefined {
  const error = problems.find(({ severity }) => severity === 'error')
  if (error !== undefined) return { message: `${error.message} (${error.rule})`, line: error.line }
  const missing = inputs.find(({ key, required }) => required && !Object.hasOwn(args, key))
  if (missing !== undefined) return { message: `its argument \`${missing.key}\` is missing` }
  const unknown = externals.find(({ name }) => !Object.hasOwn(host, name))
  return (
    unknown && { message: `the host has no function ${unknown.name}: it has ${Object.keys(host).join(', ')}` }
  )
}

async function answer(
  { name: called, args, kwargs }: Extract<FromInterpreter, { kind: 'call' }>,
  script: ToolScript,
  names: ReadonlyMap<string, string>,
  host: Readonly<Record<string, HostFunction>>,
  calls: HostCall[],
): Promise<ToInterpreter> {
  const name = names.get(called) ?? called
  const parameters = script.externals.find((each) => each.name === name)?.parameters ?? []
  const given: Record<string, unknown> = {}
  for (const [at, value] of args.entries()) given[parameters[at] ?? `argument ${at + 1}`] = toJson(value)
  for (const [key, value] of entriesOf(kwargs)) given[key] = toJson(value)
  try {
    const strange = Object.keys(given).find((key) => !parameters.includes(key))
    if (strange !== undefined) throw new HostError('ValueError', `${name} has no parameter ${strange}`)
    const value = (await host[name]?.(given)) ?? null
    calls.push({ name, args: given, answer: { value } })
    return { kind: 'returned', value }
  } catch (error) {
    const type = error instanceof HostError ? error.type : 'RuntimeError'
    const message = error instanceof Error ? error.message : String(error)
    calls.push({ name, args: given, answer: { error: message } })
    return { kind: 'raised', type, message }
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  if (value instanceof Map) return [...value].map(([key, each]) => [String(key), each])
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** Returns a value of the interpreter as JSON has it: its dicts are maps, its large integers no numbers. */
function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (Array.isArray(value) || value instanceof Set) return [...value].map(toJson)
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, each]) => [String(key), toJson(each)]))
  if (value === undefined) return null
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toJson(each)]))
  return value
}
