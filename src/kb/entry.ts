import type { KnowledgeEntry } from './entries/entry-format.js'

/**
 * Entries of a knowledge base. Ids: `metric:dau`, `snippet:dau.sql`, `note:conventions.md`
 * (files by their path below the kind's folder).
 */

/** Values by their SQL code, each with the words for it. The code itself always counts as one. */
export interface EnumParameter {
  readonly type: 'enum'
  readonly values: ReadonlyMap<string, readonly string[]>
  /** Code used if the question names none. */
  readonly default?: string | undefined
}

/**
 * A period; renders as `{{ p.start }}`, `{{ p.end }}` (last day), `{{ p.end_exclusive }}` (day after), `{{
 * p.days }}`.
 */
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

/** A grouping dimension: each value selects an expression that the metric lists. */
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
  /** Words in a question that refer to this metric. */
  readonly aliases: readonly string[]
  /** Name of the snippet that computes it. */
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

/** A file that could not be used, or a dangling reference. The other entries still load. */
export interface KbProblem {
  readonly severity: 'error' | 'warning'
  readonly path: string
  readonly line: number
  readonly column: number
  readonly message: string
  readonly hint?: string | undefined
  /** The entry that cannot be used because of it, if the file identifies one. */
  readonly entry?: string | undefined
}

/**
 * A metric that cannot be used. Its words still count, so that a question which needs it is answered with the
 * reason.
 */
export interface BrokenMetric {
  /** `metric:<name>`; named after the file if that contains no name. */
  readonly id: string
  readonly name: string
  readonly aliases: readonly string[]
  /** The first problem that makes it unusable. */
  readonly problem: KbProblem
  /** The snippet that it names, if any. */
  readonly snippet: string | undefined
  /** Its definition, if only its snippet or its name is at fault. */
  readonly metric: Metric | undefined
}

export interface KnowledgeBase {
  readonly metrics: readonly Metric[]
  readonly broken: readonly BrokenMetric[]
  /** By name, as metrics reference them. */
  readonly snippets: ReadonlyMap<string, Snippet>
  readonly notes: readonly Note[]
  readonly problems: readonly KbProblem[]
  /** What sources in other formats hold; absent: there are none. */
  readonly entries?: readonly KnowledgeEntry[] | undefined
}

/** Returns the names of all snippets that metrics use, including metrics whose file is broken. */
export function namedSnippets({ metrics, broken }: KnowledgeBase): ReadonlySet<string> {
  return new Set([...metrics, ...broken].flatMap(({ snippet }) => snippet ?? []))
}
