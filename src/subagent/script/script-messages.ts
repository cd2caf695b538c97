/** The interpreter of tool scripts; its version is that of package.json, which a test checks. */
export const interpreterPackage = '@pydantic/monty@0.0.18'

/** Limits of one run of a tool script. */
export interface ScriptLimits {
  /** Computing time of the script itself, without that of the host, in seconds. */
  readonly seconds: number
  /** Wall time with everything, in milliseconds. */
  readonly wallMs: number
  readonly memoryBytes: number
  /** Calls of the host. */
  readonly calls: number
  /** Characters of printed output that are kept. */
  readonly output: number
}

/** What the program sends to the interpreter's process. */
export type ToInterpreter =
  | {
      readonly kind: 'run'
      readonly source: string
      readonly inputs: Readonly<Record<string, unknown>>
      readonly externals: readonly string[]
      readonly limits: ScriptLimits
    }
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'raised'; readonly type: string; readonly message: string }

/** What the interpreter's process sends to the program. */
export type FromInterpreter =
  | {
      readonly kind: 'call'
      readonly name: string
      readonly args: readonly unknown[]
      readonly kwargs: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'done'; readonly value: unknown; readonly output: string }
  | {
      readonly kind: 'failed'
      readonly type: string
      readonly message: string
      readonly line: number | undefined
      readonly output: string
    }
