import { realpathSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import {
  type CancellationToken,
  createMessageConnection,
  ErrorCodes,
  NotificationType,
  ProgressType,
  ResponseError,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node'
import { z } from 'zod'
import { AutotestError, messageOf } from '../../errors.js'
import { MessageReader } from './message-reader.js'
import { type Answer, answerProject, answerPython, type Services } from './methods.js'
import { methods, protocolVersion } from './protocol.js'

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

const progress = new ProgressType<{ readonly text: string }>()

/** Answers requests of JSON-RPC 2.0 until its input ends, or a client says `exit`. What each method needs is loaded when it is first called. */
export function serve(options: ServeOptions): Promise<void> {
  const { input, output, env, version, now, onLog } = options
  const writer = new StreamMessageWriter(output)
  const reader = new MessageReader(input, (id, code, message) => {
    const answer = { jsonrpc: '2.0', id, error: { code, message } }
    writer.write(answer).catch(() => undefined)
  })
  const connection = createMessageConnection(reader, writer, {
    error: onLog,
    warn: onLog,
    info: onLog,
    log: onLog,
  })
  let root = realpathSync(options.cwd)
  let python: string | undefined
  let services: Promise<Services> | undefined
  const running = new Set<AbortController>()
  const service = (): Promise<Services> => {
    services ??= openServices({ root, python, env, now })
    return services
  }

  const on: Answer = (name, work) => {
    connection.onRequest(name, async (given: unknown, token: CancellationToken) => {
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
      token.onCancellationRequested(() => abort.abort())
      const progressToken = progressTokenOf(given)
      const onProgress = (text: string): void => {
        if (progressToken !== undefined) void connection.sendProgress(progress, progressToken, { text })
      }
      try {
        return (await work(params.data as never, { signal: abort.signal, onProgress, onLog })) ?? null
      } catch (error) {
        if (abort.signal.aborted) return new ResponseError(-32800, 'the request was cancelled')
        return responseError(error)
      } finally {
        running.delete(abort)
      }
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
      await services?.then(({ close }) => close()).catch(() => undefined)
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
