import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AutotestError, messageOf } from '../errors.js'
import { makeFolder } from '../platform/make-folder.js'
import { type CallContext, type ChatRequest, type Completion, failureKinds } from './provider.js'

/** Replies of models in files, one per request and sample: recorded once, replayed any number of times. */
export type Recordings =
  | {
      readonly kind: 'record'
      save(key: string, request: ChatRequest, context: CallContext, completion: Completion): void
      /**
       * Records that the run ended with this question: by its failure, or before its answer arrived, even if
       * it was never sent.
       */
      end(key: string, request: ChatRequest, context: QuestionContext, error: AutotestError): void
    }
  | {
      readonly kind: 'replay'
      /**
       * Returns a recorded completion. Throws `AutotestError('replay_miss')`, which names case and role, if
       * none was recorded; the error that ended the recorded run, if it ended at this question without
       * sending it.
       */
      find(key: string, context: CallContext): Completion
      /** Reports whether another try was recorded after this failed one. */
      hasNext(key: string, attempt: number): boolean
      /** Returns the failure of a model or endpoint that ended the recorded run. */
      endAt(key: string): AutotestError | undefined
    }

/** Case and role of a question. */
type QuestionContext = Omit<CallContext, 'attempt'>

const usage = z
  .object({
    inputTokens: z.int().min(0),
    outputTokens: z.int().min(0),
    cachedTokens: z.int().min(1).optional(),
  })
  .optional()
const completion = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('reply'), text: z.string(), usage }),
  z.object({
    kind: z.literal('failure'),
    failure: z.enum(failureKinds),
    message: z.string(),
    hint: z.string().optional(),
    retryAfterMs: z.number().optional(),
    usage,
    cutOff: z.literal(true).optional(),
    beforeAnswer: z.literal(true).optional(),
    receivedTokens: z.int().min(0).optional(),
    said: z.object({ text: z.string() }).optional(),
    contextTokens: z.int().min(1).optional(),
  }),
])
const ending = z.object({
  code: z.enum(['llm_rejected', 'llm_unavailable', 'budget_exhausted', 'interrupted']),
  message: z.string(),
  hint: z.string().optional(),
})
type Ending = z.output<typeof ending>

/** The parts of a file that a replay reads. */
const recording = z
  .object({ tries: z.array(completion), ended: ending.optional() })
  .refine(({ tries, ended }) => tries.length > 0 || ended !== undefined, {
    path: ['tries'],
    message: 'is empty',
  })
type Recording = z.output<typeof recording>

/**
 * A file of the folder. Role, case and request, without secrets, are for people; only the key, which is its
 * name, is used.
 */
interface RecordedFile {
  readonly role: string
  readonly caseId: string
  readonly sample: number
  readonly request: ChatRequest
  /** In order: failed tries, then the reply. */
  readonly tries: readonly Completion[]
  /** The error that ended the run, if it ended with this question, which may never have been sent. */
  readonly ended?: Ending
}

/**
 * Creates a recorder that writes below `folder`; a recording of the same request is replaced. Throws
 * `write_failed` if it cannot write.
 */
export function createRecorder(folder: string): Recordings {
  const files = new Map<string, RecordedFile>()
  withWriteErrors(folder, () => makeFolder(folder))
  const write = (key: string, file: RecordedFile): void => {
    files.set(key, file)
    withWriteErrors(folder, () => {
      // Written atomically, even if the run is killed, or another one records in the same folder.
      const unfinished = `${fileOf(folder, key)}.${process.pid}.tmp`
      writeFileSync(unfinished, `${JSON.stringify(file, null, 2)}\n`)
      renameSync(unfinished, fileOf(folder, key))
    })
  }
  return {
    kind: 'record',
    save(key, request, { role, caseId, sample, attempt }, completion) {
      const before = attempt === 0 ? [] : (files.get(key)?.tries ?? [])
      write(key, { role, caseId, sample, request, tries: [...before, completion] })
    },
    end(key, request, { role, caseId, sample }, { code, message, hint }) {
      const known = files.get(key)
      // An answer that another run recorded is kept.
      if (known === undefined && existsSync(fileOf(folder, key))) return
      const ended = ending.safeParse({ code, message, hint })
      if (ended.success)
        write(key, { ...(known ?? { role, caseId, sample, request, tries: [] }), ended: ended.data })
    },
  }
}

/**
 * Creates a reader of recordings; no model is ever called. Throws `config_invalid` if the folder does not
 * exist.
 */
export function createReplayer(folder: string): Recordings {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const what = existsSync(folder) ? 'is a file, not a folder of recordings' : 'does not exist'
    throw new AutotestError('config_invalid', `${folder} ${what}`, {
      hint: 'Give --replay the folder that --record wrote.',
    })
  }
  return {
    kind: 'replay',
    find(key, context) {
      const found = readRecording(fileOf(folder, key))
      const completion = found?.tries[context.attempt]
      if (completion !== undefined) return completion
      throw errorOf(found) ?? replayMissError(folder, context, found?.ended)
    },
    hasNext(key, attempt) {
      const found = readRecording(fileOf(folder, key))
      const left = (found?.tries.length ?? 0) - attempt - 1
      return left > 0 || (found?.ended !== undefined && errorOf(found) === undefined)
    },
    endAt: (key) => errorOf(readRecording(fileOf(folder, key))),
  }
}

/**
 * Returns the error for a missing recording. It names what is missing even if the recorded run ended early:
 * the question may be another one.
 */
function replayMissError(
  folder: string,
  { role, caseId, sample, attempt }: CallContext,
  here: Ending | undefined,
): AutotestError {
  const what = `${folder} contains no recording of case ${caseId} for the role ${role} (sample ${sample}, try ${attempt})`
  if (here !== undefined)
    return new AutotestError(
      'replay_miss',
      `${what}: the recorded run ended before its answer (${here.message})`,
      {
        hint: 'Finish the recorded run, by name: autotest --resume RUN; or record again with --record.',
      },
    )
  const names = readdirSync(folder).filter((name) => /^[0-9a-f]{32}\.json$/.test(name))
  if (names.length === 0)
    return new AutotestError('replay_miss', `${what}, nor any other`, {
      hint: 'Give --replay the folder that --record wrote.',
    })
  const ended = endIn(folder, names)
  return new AutotestError(
    'replay_miss',
    ended === undefined ? what : `${what}; a run recorded there ended early (${ended.message})`,
    {
      hint: 'That run made another request: the prompt, the model, its options or the flags differ, or it ended earlier. Record again with --record.',
    },
  )
}

/** Returns the failure that ended a run recorded in the folder, in files of these names. */
function endIn(folder: string, names: readonly string[]): Ending | undefined {
  for (const name of names) {
    const ended = readRecording(join(folder, name))?.ended
    if (ended !== undefined) return ended
  }
  return undefined
}

/**
 * Returns the error of a recording. Budget and interrupts of the recorded run do not apply to a replay, which
 * has its own.
 */
function errorOf(found: Recording | undefined): AutotestError | undefined {
  if (found?.ended === undefined) return undefined
  const { code, message, hint } = found.ended
  const isBroken = code === 'llm_rejected' || code === 'llm_unavailable'
  return isBroken ? new AutotestError(code, message, { hint }) : undefined
}

function fileOf(folder: string, key: string): string {
  return join(folder, `${key}.json`)
}

function readRecording(file: string): Recording | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw damagedRecordingError(file, messageOf(error), error)
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw damagedRecordingError(file, 'it is not JSON', error)
  }
  const found = recording.safeParse(json)
  if (found.success) return found.data
  const [issue] = found.error.issues
  throw damagedRecordingError(file, `${issue?.path.join('.') || 'the whole'}: ${issue?.message}`, found.error)
}

function damagedRecordingError(file: string, problem: string, cause: unknown): AutotestError {
  return new AutotestError('config_invalid', `${file} is not a recording: ${problem}`, {
    hint: 'Remove the file, then record again with --record.',
    cause,
  })
}

function withWriteErrors(folder: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    throw new AutotestError(
      'write_failed',
      `recordings cannot be written to ${folder}: ${messageOf(error)}`,
      {
        hint: 'Give --record a writable folder.',
        cause: error,
      },
    )
  }
}
