import type { HostCall } from '../script/run-tool-script.js'

/** One call of a tool: what was asked, what the tool said, and what the host saw. */
export interface TracedCall {
  readonly id: string
  readonly name: string
  /** As the model wrote them. */
  readonly arguments: string
  /** As read; absent where they cannot be. */
  readonly args?: Readonly<Record<string, unknown>> | undefined
  /** Path of the script that ran; absent for a tool without one, and for a call that was refused. */
  readonly script?: string | undefined
  /** What the script returned; absent if it did not end well. */
  readonly value?: unknown
  /** Why there is no value: the call was refused, or the script failed. */
  readonly problem?: string | undefined
  /** What the model was shown. */
  readonly shown: string
  /** What the tool should have said, by what the host saw itself; absent where nobody knows. */
  readonly truth?: unknown
  /** What the script called of the host, and the truth it was told. */
  readonly host: readonly HostCall[]
}

export interface TracedTurn {
  /** What the model said beside its calls. */
  readonly text: string
  readonly calls: readonly TracedCall[]
}

/** How the work of a subagent ended. */
export type Ending =
  /** `args` are those of `submit_result`, `value` what its script made of them, or the same. */
  | {
      readonly kind: 'submitted'
      readonly args: Readonly<Record<string, unknown>>
      readonly value: unknown
    }
  /** It did not submit, with the reason in words. */
  | { readonly kind: 'not_submitted'; readonly reason: string }

/** All that a subagent did for one case. */
export interface Trace {
  /** Scripts whose result was shown before the first turn. */
  readonly context: readonly TracedCall[]
  readonly turns: readonly TracedTurn[]
  readonly ending: Ending
}

/** Returns every call of a tool, in order. */
export function callsOf({ turns }: Trace): readonly TracedCall[] {
  return turns.flatMap(({ calls }) => calls)
}

/** Returns the paths of the scripts that ran, sorted, each once. */
export function scriptsOf(trace: Trace): readonly string[] {
  const scripts = [...trace.context, ...callsOf(trace)].flatMap(({ script }) => script ?? [])
  return [...new Set(scripts)].sort()
}
