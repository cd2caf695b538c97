import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AutotestError, messageOf } from '../errors.js'
import { makeFolder } from '../make-folder.js'
import { type CallContext, type ChatRequest, type Completion, failureKinds } from './provider.js'

/** Replies of models in files, one a request and sample: recorded once, replayed for ever. */
export type Recordings =
  | {
      readonly kind: 'record'
      save(key: string, request: ChatRequest, context: CallContext, completion: Completion): void
      /** The answer that never came, after what `save` was told of it, ended the run. */
      end(key: string, error: AutotestError): void
    }
  | {
      readonly kind: 'replay'
      /**
       * Throws `AutotestError('replay_miss')`, which names case and role, where none was recorded; what ended the
       * recorded run where that is why.
       */
      find(key: string, context: CallContext): Completion
      /** Whether more tries were made after this one, which failed. */
      hasNext(key: string, attempt: number): boolean
      /** What ended the recorded run here. */
      endAt(key: string): AutotestError | undefined
    }

const usage = z.object({ inputTokens: z.int().min(0), outputTokens: z.int().min(0) }).optional()
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
  }),
])
const ending = z.object({
  code: z.enum(['llm_rejected', 'llm_unavailable']),
  message: z.string(),
  hint: z.string().optional(),
})
type Ending = z.output<typeof ending>

/** What a replay reads of a file. */
const recording = z.object({ tries: z.array(completion).min(1), ended: ending.optional() })
type Recording = z.output<typeof recording>

/** A file of the folder. Role, case and request are for people; the key, which is its name, alone decides. */
interface RecordedFile {
  readonly role: string
  readonly caseId: string
  readonly sample: number
  readonly request: ChatRequest
  /** One after the other: failed tries, then the reply. */
  readonly tries: readonly Completion[]
  /** The error that ended the run, where these tries led to one. */
  readonly ended?: Ending
}

/** Writes below `folder`; a recording of the same request is replaced. Throws `write_failed` where it cannot. */
export function recordTo(folder: string): Recordings {
  const files = new Map<string, RecordedFile>()
  guarded(folder, () => makeFolder(folder))
  const write = (key: string, file: RecordedFile): void => {
    files.set(key, file)
    guarded(folder, () => {
      // Whole or not at all, also where the run is killed, or another one records there.
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
    end(key, { code, message, hint }) {
      const known = files.get(key)
      const ended = ending.safeParse({ code, message, hint })
      if (known !== undefined && ended.success) write(key, { ...known, ended: ended.data })
    },
  }
}

/** Reads what `recordTo` wrote; nothing is ever asked of a model. Throws `config_invalid` where there is no such folder. */
export function replayFrom(folder: string): Recordings {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const what = existsSync(folder) ? 'is a file, not a folder of recordings' : 'does not exist'
    throw new AutotestError('config_invalid', `${folder} ${what}`, {
      hint: 'Give --replay the folder that --record wrote.',
    })
  }
  return {
    kind: 'replay',
    find(key, context) {
      const completion = readRecording(fileOf(folder, key))?.tries[context.attempt]
      if (completion !== undefined) return completion
      throw (
        endIn(folder) ??
        new AutotestError(
          'replay_miss',
          `${folder} holds no recording of case ${context.caseId} for the role ${context.role} (sample ${context.sample}, try ${context.attempt})`,
          {
            hint: 'The prompt, the model or its options changed since: record again with --record.',
          },
        )
      )
    },
    hasNext: (key, attempt) => (readRecording(fileOf(folder, key))?.tries.length ?? 0) > attempt + 1,
    endAt: (key) => errorOf(readRecording(fileOf(folder, key))),
  }
}

/** What ended the recorded run: what it would have asked after that was never recorded. */
function endIn(folder: string): AutotestError | undefined {
  for (const name of readdirSync(folder)) {
    const error = name.endsWith('.json') ? errorOf(readRecording(join(folder, name))) : undefined
    if (error !== undefined) return error
  }
  return undefined
}

function errorOf(found: Recording | undefined): AutotestError | undefined {
  if (found?.ended === undefined) return undefined
  const { code, message, hint } = found.ended
  return new AutotestError(code, message, { hint })
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
    throw damaged(file, messageOf(error), error)
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw damaged(file, 'it is not JSON', error)
  }
  const found = recording.safeParse(json)
  if (found.success) return found.data
  const [issue] = found.error.issues
  throw damaged(file, `${issue?.path.join('.') || 'the whole'}: ${issue?.message}`, found.error)
}

function damaged(file: string, problem: string, cause: unknown): AutotestError {
  return new AutotestError('config_invalid', `${file} is no recording: ${problem}`, {
    hint: 'Remove the file, then record again with --record.',
    cause,
  })
}

function guarded(folder: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    throw new AutotestError(
      'write_failed',
      `recordings cannot be written to ${folder}: ${messageOf(error)}`,
      {
        hint: 'Give --record a folder that can be written.',
        cause: error,
      },
    )
  }
}
