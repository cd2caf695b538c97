import type { CognitiveMode } from '../enums/cognitive-mode.js'
import type { ProviderName } from '../llm/provider.js'
import type { Problem } from '../snapshot/file-problem.js'
import type { TemplateLocation } from './template-locations.js'

/** The tool whose arguments are a subagent's result. */
export const submitResult = 'submit_result'

/** A model behind an endpoint, or a file of weights for a local server. */
export type ModelReference =
  | { readonly kind: 'endpoint'; readonly provider: ProviderName; readonly model: string }
  | { readonly kind: 'file'; readonly path: string }

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of type object. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Path of its script, relative to the project root; `submit_result` may have none. */
  readonly script: string | undefined
  /** Scripts whose results a call of it is given, relative to the project root. */
  readonly contextProviders: readonly string[]
}

/** A script whose result the model is shown before its first turn. */
interface ContextProvider {
  readonly name: string
  /** Relative to the project root. */
  readonly script: string
}

/** What an agent of a definition may write of a project. */
export interface DefinedRole {
  readonly mode: CognitiveMode
  readonly writes: readonly string[]
  /** Absent: by its mode. */
  readonly refuses?: readonly string[] | undefined
  /** Patterns of files with keys that it needs; absent: none. */
  readonly reads?: readonly string[] | undefined
  readonly aliases: readonly string[]
  /** Tools of coding agents. */
  readonly tools: readonly string[]
  readonly deniedTools: readonly string[]
}

/** A role of a model: its instructions, its tools, and the answer it must give. */
export interface SubagentDefinition {
  readonly name: string
  readonly description?: string | undefined
  /** Absent: it takes part in no work on files. */
  readonly role?: DefinedRole | undefined
  readonly model: ModelReference
  readonly maxTurns: number
  readonly systemPrompt: string
  /** Jinja template of the request. */
  readonly nodeContext: string
  readonly places: { readonly systemPrompt: TemplateLocation; readonly nodeContext: TemplateLocation }
  readonly tools: readonly ToolDefinition[]
  readonly contextProviders: readonly ContextProvider[]
  /** Path in the snapshot. */
  readonly path: string
  /** Changes with every byte of the file. */
  readonly hash: string
}

export interface LoadedDefinition {
  readonly definition: SubagentDefinition
  readonly warnings: readonly Problem[]
}
