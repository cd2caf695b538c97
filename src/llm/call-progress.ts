import type { Role } from '../enums/role.js'
import type { CallContext } from './provider.js'

/** A call that is waited for. */
export interface WatchedCall {
  /** Takes note of the tokens of its answer that have arrived. */
  noteTokens(tokens: number): void
  end(): void
}

/** Says every second what is waited for. */
export interface CallProgress {
  begin(context: CallContext): WatchedCall
}

export interface CallProgressOptions {
  /** Called each second while a call is in progress; with an empty text once none is. */
  readonly onProgress: (text: string) => void
  /** Number of calls that a resumed run made before. */
  readonly made: number
  /** The most that the budget allows. */
  readonly most: number | undefined
  /** Milliseconds. */
  readonly clock: () => number
}

const intervalMs = 1000

interface CallInProgress {
  readonly role: Role
  readonly caseId: string
  /** Its number in the run, from 1. */
  readonly number: number
  readonly started: number
  tokens: number
}

export function createCallProgress({ onProgress, made, most, clock }: CallProgressOptions): CallProgress {
  const inProgress = new Set<CallInProgress>()
  let number = made
  let timer: NodeJS.Timeout | undefined

  function report(): void {
    // The one that is waited for the longest.
    const [oldest] = inProgress
    if (oldest === undefined) return
    const { role, caseId, number, started, tokens } = oldest
    const parts = [
      `${role} ${caseId}: call ${number}${most === undefined ? '' : ` of at most ${most}`}`,
      `${Math.round((clock() - started) / 1000)} s`,
      ...(tokens > 0 ? [`${tokens} tokens`] : []),
      ...(inProgress.size > 1 ? [`${inProgress.size - 1} more under way`] : []),
    ]
    onProgress(parts.join(' · '))
  }

  return {
    begin({ role, caseId }) {
      const call = { role, caseId, number: ++number, started: clock(), tokens: 0 }
      inProgress.add(call)
      timer ??= setInterval(report, intervalMs).unref()
      return {
        noteTokens(tokens) {
          call.tokens = tokens
        },
        end() {
          inProgress.delete(call)
          if (inProgress.size > 0) return
          clearInterval(timer)
          timer = undefined
          onProgress('')
        },
      }
    },
  }
}
