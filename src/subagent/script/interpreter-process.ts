import {
  type FromInterpreter,
  interpreterPackage,
  type ScriptLimits,
  type ToInterpreter,
} from './script-messages.js'

// Runs tool scripts, one after the other. An endless loop cannot be stopped from within, only with its process.

type Interpreter = typeof import('@pydantic/monty')
type Run = Extract<ToInterpreter, { kind: 'run' }>
type Answer = Exclude<ToInterpreter, Run>

let resume: ((answer: Answer) => void) | undefined

process.on('message', (message: ToInterpreter) => {
  if (message.kind !== 'run') resume?.(message)
  else void run(message)
})
process.on('disconnect', () => process.exit(1))

async function run({ source, inputs, externals, limits }: Run): Promise<void> {
  let output = ''
  const printCallback = (_stream: string, text: string): void => {
    if (output.length < limits.output) output = (output + text).slice(0, limits.output)
  }
  const interpreter = await load()
  if (interpreter === undefined) {
    const message = `tool scripts need an interpreter: npm install ${interpreterPackage}`
    send({ kind: 'failed', type: '', message, line: undefined, output })
    return
  }
  try {
    const value = await execute(interpreter, source, inputs, new Set(externals), limits, printCallback)
    send({ kind: 'done', value, output })
  } catch (error) {
    send({ kind: 'failed', ...describe(error, interpreter), output })
  }
}

/** Who only tests SQL does not install it. */
async function load(): Promise<Interpreter | undefined> {
  try {
    return await import('@pydantic/monty')
  } catch {
    return undefined
  }
}

async function execute(
  { Monty, MontyComplete, MontyNameLookup, MontyRuntimeError, MontySnapshot }: Interpreter,
  source: string,
  inputs: Readonly<Record<string, unknown>>,
  externals: ReadonlySet<string>,
  limits: ScriptLimits,
  printCallback: (stream: string, text: string) => void,
): Promise<unknown> {
  const names = Object.keys(inputs)
  const script = new Monty(source, { scriptName: 'script', ...(names.length === 0 ? {} : { inputs: names }) })
  const resources = {
    maxDurationSecs: limits.seconds,
    maxMemory: limits.memoryBytes,
    maxRecursionDepth: 200,
  }
  let at = script.start({
    ...(names.length === 0 ? {} : { inputs: { ...inputs } }),
    limits: resources,
    printCallback,
  })
  let calls = 0
  while (!(at instanceof MontyComplete)) {
    if (at instanceof MontyNameLookup) {
      const { variableName } = at
      at = externals.has(variableName) ? at.resume({ value: named(variableName) }) : at.resume()
      continue
    }
    const { functionName: name, args, kwargs } = at
    if (!externals.has(name)) {
      at = at.resume({ exception: { type: 'NameError', message: `name '${name}' is not defined` } })
      continue
    }
    if (++calls > limits.calls)
      throw new MontyRuntimeError('RuntimeError', `more than ${limits.calls} calls of the host`)
    // The host's time must not count as the script's: a loaded snapshot begins to count anew.
    const paused = at.dump()
    const answer = await ask({ kind: 'call', name, args, kwargs })
    const loaded = MontySnapshot.load(paused, { printCallback })
    at =
      answer.kind === 'returned'
        ? loaded.resume({ returnValue: answer.value })
        : loaded.resume({ exception: { type: answer.type, message: answer.message } })
  }
  return at.output
}

/** Returns a function by which the interpreter knows a name as one of the host. */
function named(name: string): () => void {
  const marker = (): void => undefined
  Object.defineProperty(marker, 'name', { value: name })
  return marker
}

function ask(call: FromInterpreter): Promise<Answer> {
  return new Promise((resolve) => {
    resume = resolve
    send(call)
  })
}

function send(message: FromInterpreter): void {
  process.send?.(message)
}

function describe(
  error: unknown,
  { MontyError, MontyRuntimeError }: Interpreter,
): { type: string; message: string; line: number | undefined } {
  if (!(error instanceof MontyError))
    return {
      type: 'InternalError',
      message: error instanceof Error ? error.message : String(error),
      line: undefined,
    }
  const { typeName, message } = error.exception
  const frames = error instanceof MontyRuntimeError ? error.traceback() : []
  return { type: typeName, message, line: frames.at(-1)?.line ?? frames[0]?.line }
}
