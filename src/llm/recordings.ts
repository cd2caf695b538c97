import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'
import type { CallContext, ChatRequest, Completion } from './provider.js'

/** Replies of models in files, one a request and sample: recorded once, replayed for ever. */
export type Recordings =
  | {
      readonly kind: 'record'
      save(key: string, request: ChatRequest, context: CallContext, completion: Completion): void
    }
  | {
      readonly kind: 'replay'
      /** Throws `AutotestError('replay_miss')`, which names case and role, where none was recorded. */
      find(key: string, context: CallContext): Completion
    }

/** A file of the folder. The request is for people; the key alone decides. */
interface Recording {
  readonly role: string
  readonly caseId: string
  readonly sample: number
  readonly request: ChatRequest
  /** One after the other: failed tries, then the reply. */
  readonly tries: readonly Completion[]
}

/** Writes below `folder`; a recording of the same request is replaced. Throws `write_failed` where it cannot. */
export function recordTo(folder: string): Recordings {
  const tries = new Map<string, Completion[]>()
  guarded(folder, () => mkdirSync(folder, { recursive: true }))
  return {
    kind: 'record',
    save(key, request, { role, caseId, sample, attempt }, completion) {
      const all = attempt === 0 ? [] : (tries.get(key) ?? [])
      all.push(completion)
      tries.set(key, all)
      const recording: Recording = { role, caseId, sample, request, tries: all }
      guarded(folder, () => writeFileSync(fileOf(folder, key), `${JSON.stringify(recording, null, 2)}\n`))
    },
  }
}

/** Reads what `recordTo` wrote; nothing is ever asked of a model. */
export function replayFrom(folder: string): Recordings {
  return {
    kind: 'replay',
    find(key, context) {
      const completion = readRecording(fileOf(folder, key))?.tries[context.attempt]
      if (completion !== undefined) return completion
      throw new AutotestError(
        'replay_miss',
        `${folder} holds no recording of case ${context.caseId} for the role ${context.role} (sample ${context.sample}, try ${context.attempt})`,
        {
          hint: 'The prompt, the model or its options changed since: record again with --record.',
        },
      )
    },
  }
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
    throw error
  }
  try {
    const recording: Recording = JSON.parse(text)
    if (Array.isArray(recording.tries)) return recording
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new AutotestError('config_invalid', `${file} is no recording`, {
    hint: 'Record again with --record.',
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
