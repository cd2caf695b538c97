import { realpathSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import {
  type CancellationToken,
  createMessageConnection,
  ErrorCodes,
  Message,
  NotificationType,
  ProgressType,
  ResponseError,
  type ResponseMessage,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node'
import { z } from 'zod'
import { AutotestError, messageOf } from '../../errors.js'
import { MessageReader } from './message-reader.js'
import { type Answer, answerProject, answerPython, type Services } from './methods.js'
import { type MethodName, methods, protocolVersion } from './protocol.js'
import { Cancelled, createWorkQueue } from './work-queue.js'

export interface ServeOptions {
  readonly input: Readable
  readonly output: Writable
  /** Project where no client names one, absolute. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly now: () => Date
  /** Called with what goes wrong outside of a request. */
  readonly onLog: (text: string) => void
}

/** Methods that start processes of their own, and whether they only read. */
const startsProcesses: Readonly<Partial<Record<MethodName, 'reads' | 'writes'>>> = {
  gather_project_context: 'reads',
  analyze_imports: 'reads',
  generate_tests: 'reads',
  run_tests: 'reads',
  test_coverage: 'reads',
  surviving_mutants: 'reads',
  compare: 'reads',
  record_tests: 'writes',
  run: 'writes',
}

const cancelledCode = -32800

/** A request that was cancelled before anything was done for it is answered at once. */
const cancelUndispatched = (message: Message): ResponseMessage | undefined =>
  Message.isRequest(message)
    ? {
        jsonrpc: '2.0',
        id: message.id,
        error: { code: cancelledCode, message: new Cancelled().message },
      }
    : undefined

/** Tells the reader which requests have their answer. */
class AnswerWriter extends StreamMessageWriter {
  readonly #reader: MessageReader

  constructor(output: Writable, reader: MessageReader) {
    super(output)
    this.#reader = reader
  }

  override write(message: Message): Promise<void> {
    if ('id' in message && !('method' in message)) this.#reader.answered(String(message.id))
    return super.write(message)
  }
}

/** How long what is stopped may take, in ms. */
const mostStopMs = 10_000

const progress = new ProgressType<{ readonly text: string }>()

/** Answers requests of JSON-RPC 2.0 until its input ends, or a client says `exit`. What each method needs is loaded when it is first called. */
export function serve(options: ServeOptions): Promise<void> {
  const { input, output, env, version, now, onLog } = options
  let written: Promise<unknown> = Promise.resolve()
  const reader = new MessageReader(input, (id, code, message) => {
    const answer = { jsonrpc: '2.0', id, error: { code, message } }
    written = Promise.all([written, writer.write(answer).catch(() => undefined)])
  })
  const writer = new AnswerWriter(output, reader)
  const connection = createMessageConnection(
    reader,
    writer,
    { error: onLog, warn: onLog, info: onLog, log: onLog },
    { connectionStrategy: { cancelUndispatched } },
  )
  const queue = createWorkQueue()
  let root = realpathSync(options.cwd)
  let python: string | undefined
  let services: Promise<Services> | undefined
  const running = new Set<AbortController>()
  const working = new Set<Promise<unknown>>()
  const service = (): Promise<Services> => {
    services ??= openServices({ root, python, env, now })
    return services
  }

  const on: Answer = (name, work) => {
    const answerTo = async (given: unknown, token: CancellationToken): Promise<unknown> => {
      const params = methods[name].safeParse(given ?? {})
      if (!params.success) {
        const [issue] = params.error.issues
        const place = issue?.path.join('.') ?? ''
        return new ResponseError(
          ErrorCodes.InvalidParams,
          `${name}: ${place === '' ? '' : `${place}: `}${issue?.message}`,
        )
      }
      const abort = new AbortController()
      running.add(abort)
      // A token that was cancelled before its request was dispatched never says so.
      if (token.isCancellationRequested) abort.abort()
      token.onCancellationRequested(() => abort.abort())
      const progressToken = progressTokenOf(given)
      const onProgress = (text: string): void => {
        if (progressToken !== undefined) void connection.sendProgress(progress, progressToken, { text })
      }
      const { signal } = abort
      const does = (): Promise<unknown> => {
        // A cancel is answered before the work has stopped.
        const done = Promise.resolve(work(params.data as never, { signal, onProgress, onLog }))
        working.add(done)
        void done.catch(() => undefined).then(() => working.delete(done))
        return done
      }
      const starts = startsProcesses[name]
      try {
        if (starts === undefined && signal.aborted) throw new Cancelled()
        return (await (starts === undefined ? does() : queue.add(does, signal, starts === 'reads'))) ?? null
      } catch (error) {
        if (signal.aborted) return new ResponseError(cancelledCode, new Cancelled().message)
        return responseError(error)
      } finally {
        running.delete(abort)
      }
    }
    connection.onRequest(name, (...given: readonly unknown[]) => {
      // Without params, a request is handed over as its token alone.
      const token = given.at(-1) as CancellationToken
      return answerTo(given.length > 1 ? given[0] : {}, token)
    })
  }

  on('initialize', async ({ projectRoot, python: chosen, protocolVersion: asked }) => {
    if (projectRoot !== undefined) root = realpathSync(projectRoot)
    python = chosen
    const before = services
    services = undefined
    await before?.then(({ close }) => close())
    const matches = asked === undefined || asked === protocolVersion
    return {
      name: 'autotest',
      version,
      protocolVersion,
      projectRoot: root,
      methods: Object.keys(methods),
      ...(matches
        ? {}
        : {
            warning: `this server speaks version ${protocolVersion} of the protocol, and the client ${asked}`,
          }),
    }
  })
  answerPython(on, service)
  answerProject(on, service)

  return new Promise((resolve) => {
    let ended = false
    const end = async (): Promise<void> => {
      if (ended) return
      ended = true
      for (const abort of running) abort.abort()
      // What is stopped removes its folders; what does not stop is not waited for.
      await Promise.race([Promise.allSettled(working), setTimeout(mostStopMs, undefined, { ref: false })])
      await services?.then(({ close }) => close()).catch(() => undefined)
      await written
      connection.dispose()
      resolve()
    }
    connection.onRequest('shutdown', () => {
      for (const abort of running) abort.abort()
      return null
    })
    connection.onNotification(new NotificationType('exit'), () => void end())
    connection.onUnhandledNotification(() => undefined)
    connection.onError(([error]) => onLog(error.message))
    // A client that is gone takes its server with it.
    connection.onClose(() => void end())
    output.on('error', () => void end())
    connection.listen()
  })
}

async function openServices(options: {
  readonly root: string
  readonly python: string | undefined
  readonly env: ServeOptions['env']
  readonly now: () => Date
}): Promise<Services> {
  const [{ createPythonService }, { createProjectService }, { pathInProject }] = await Promise.all([
    import('./python-service.js'),
    import('./project-service.js'),
    import('../project/find-project.js'),
  ])
  const python = createPythonService(options)
  return {
    python,
    project: createProjectService(options),
    relative: (path) => pathInProject(path, options.root, options.root),
    close: () => python.close(),
  }
}

function responseError(error: unknown): ResponseError<unknown> {
  if (!(error instanceof AutotestError)) return new ResponseError(ErrorCodes.InternalError, messageOf(error))
  const { code, hint } = error
  return new ResponseError(-32000, error.message, hint === undefined ? { code } : { code, hint })
}

/** Returns the token under which a client wants to hear of progress. */
function progressTokenOf(params: unknown): string | number | undefined {
  const read = z.object({ workDoneToken: z.union([z.string(), z.number()]) }).safeParse(params)
  return read.success ? read.data.workDoneToken : undefined
}
