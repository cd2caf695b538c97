/**
 * Entries of a knowledge base. Ids: `metric:dau`, `snippet:dau.sql`, `note:conventions.md`
 * (files by their path below the kind's folder).
 */

/** Values by their SQL code, each with the words that mean it. The code itself always counts as one. */
export interface EnumParameter {
  readonly type: 'enum'
  readonly values: ReadonlyMap<string, readonly string[]>
  /** Code used where the question names none. */
  readonly default?: string | undefined
}

/** A period; renders as `{{ p.start }}`, `{{ p.end }}` (last day), `{{ p.end_exclusive }}` (day after), `{{ p.days }}`. */
export interface DateRangeParameter {
  readonly type: 'date_range'
}

/** A number that follows one of `words` in the question ("top 5"); integers only unless `integer: false`. */
export interface NumberParameter {
  readonly type: 'number'
  readonly words: readonly string[]
  readonly integer: boolean
  readonly default?: number | undefined
}

/** A value picks an expression that the metric lists, for a grouping dimension. */
export interface ChoiceParameter {
  readonly type: 'choice'
  readonly values: ReadonlyMap<string, { readonly sql: string; readonly aliases: readonly string[] }>
  readonly default?: string | undefined
}

export type Parameter = EnumParameter | DateRangeParameter | NumberParameter | ChoiceParameter

export interface Metric {
  /** `metric:<name>` */
  readonly id: string
  readonly name: string
  readonly title: string
  /** Words in a question that mean this metric. */
  readonly aliases: readonly string[]
  /** Name of the snippet that it stands for. */
  readonly snippet: string
  readonly parameters: ReadonlyMap<string, Parameter>
  /** Path in the snapshot. */
  readonly path: string
}

export interface Snippet {
  /** `snippet:<name>` */
  readonly id: string
  readonly name: string
  readonly text: string
  readonly path: string
}

export interface Note {
  readonly id: string
  readonly text: string
  readonly path: string
}

/** A file that could not be used, or a reference that leads nowhere. The other entries still load. */
export interface KbProblem {
  readonly severity: 'error' | 'warning'
  readonly path: string
  readonly line: number
  readonly column: number
  readonly message: string
  readonly hint?: string | undefined
  /** The entry that cannot be used because of it, where the file says which. */
  readonly entry?: string | undefined
}

/** A metric that cannot be used. Its words still count, so that a question which needs it hears why it fails. */
export interface BrokenMetric {
  /** `metric:<name>`; named after the file where it does not say. */
  readonly id: string
  readonly name: string
  readonly aliases: readonly string[]
  /** The first problem that keeps it from being used. */
  readonly problem: KbProblem
  /** The snippet that it names, where it says one. */
  readonly snippet: string | undefined
  /** Its definition, where only its snippet or its name is at fault. */
  readonly metric: Metric | undefined
}

export interface KnowledgeBase {
  readonly metrics: readonly Metric[]
  readonly broken: readonly BrokenMetric[]
  /** By name, as metrics refer to them. */
  readonly snippets: ReadonlyMap<string, Snippet>
  readonly notes: readonly Note[]
  readonly problems: readonly KbProblem[]
}

/** Names of the snippets that metrics name, also those whose file cannot be used: they have a reader. */
export function namedSnippets({ metrics, broken }: KnowledgeBase): ReadonlySet<string> {
  return new Set([...metrics, ...broken].flatMap(({ snippet }) => snippet ?? []))
}
