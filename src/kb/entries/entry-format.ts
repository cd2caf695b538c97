import type { ColumnMap } from '../../snapshot/knowledge-source.js'

/**
 * Entries of knowledge files in any format: parts of the author's text, each with its place. What is offered to an agent, checked,
 * hidden or edited is such a part; a format only says where the parts are and how a text is written there.
 */

/** What the text of an entry is. */
export type EntryKind = 'query' | 'expression' | 'condition' | 'names' | 'values' | 'prose'

/** A part of a file: UTF-16 offsets into its text, end exclusive. A byte order mark counts. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface KnowledgeEntry {
  /** Unique, and the same as long as heading or key path and order are: `sales.md#refunds/sql-1`, `pairs.jsonl#3`. */
  readonly id: string
  readonly kind: EntryKind
  /** The question that it answers, if it stands beside one. */
  readonly question?: string | undefined
  /** Other words above it that may name what it answers, nearest first: a comment, a paragraph, a heading. */
  readonly titles?: readonly string[] | undefined
  /** The name that the author gave it, if any. */
  readonly name?: string | undefined
  /** POSIX, as in the snapshot. */
  readonly path: string
  /** From 1. */
  readonly line: number
  /** Where it is written, with quotes and escapes. */
  readonly span: Span
  /** What it means: without quotes, escapes and indentation. */
  readonly text: string
  /** What goes with it where it is taken out: its question, its list item. */
  readonly whole: Span
  /** The table that an expression belongs to, as its author names it. */
  readonly table?: string | undefined
  /** Why nothing may edit it; absent: it may be edited. */
  readonly readOnly?: string | undefined
}

/** A part of a file that is not read. */
export interface Skipped {
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly why: string
}

export interface EntriesOfFile {
  /** In file order; spans do not overlap. */
  readonly entries: readonly KnowledgeEntry[]
  readonly skipped: readonly Skipped[]
}

/** A format of knowledge files. It works on texts; nothing reads the disk. */
export interface EntryFormat {
  readonly name: string
  /** Returns why a file is in this format, in words; undefined if it is not. The path decides less than the content. */
  claim(path: string, text: string): string | undefined
  /** Never throws because of a file's content: what cannot be read is skipped, with its line. */
  read(path: string, text: string, columns?: ColumnMap): EntriesOfFile
  /**
   * Returns what to write in place of the entry's span so that it means `text`. Throws `edit_conflict` if that cannot be written.
   *
   * @param file the text of the whole file
   */
  encode(entry: KnowledgeEntry, text: string, file: string): string
}
