import type { z } from 'zod'
import type { Edit } from '../edit/edit.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { KnowledgeBase, Metric, Note, Parameter, Snippet } from './entry.js'
import type { LocatedSlot, SlotEdit, SlotValue } from './slots.js'

/** The text that declares a metric. */
export interface Declaration {
  readonly text: string
  /** Of that, what is said to people: comments, descriptions. */
  readonly prose: readonly string[]
}

/** A metric that is to be written. */
export interface NewMetric {
  readonly name: string
  readonly title: string
  readonly aliases: readonly string[]
  /** Name of its query, as the knowledge base has it. */
  readonly query: string
  readonly parameters: ReadonlyMap<string, Parameter>
}

/** A query that is to be written. */
export interface NewQuery {
  readonly name: string
  readonly text: string
}

/** One of the edits that give an entry back what an earlier text of its file says. */
export interface FormerValue {
  readonly edit: Edit
  /** Whether today's text has nothing in its place. */
  readonly isAddition: boolean
}

/**
 * One format of knowledge: reads files into entries with slots, and writes changes of slots back as changes of the
 * author's text. All of it works on snapshots; nothing reads the disk.
 */
export interface KnowledgeAdapter {
  readonly name: string
  /** The entries below a folder. Never throws for what is in a file: that is a problem of the knowledge base. */
  read(snapshot: Snapshot, folder: string): KnowledgeBase
  /** The slots of an entry whose text stands in its file as it is, in file order. */
  slotsOf(entry: Metric | Snippet | Note, snapshot: Snapshot): readonly LocatedSlot[]
  /** What the author wrote of a metric beside its query. */
  declarationOf(metric: Metric, snapshot: Snapshot): Declaration
  /**
   * The edits of files that make these changes, one after the other, and keep every other byte of the text: comments,
   * order, layout. Throws `edit_conflict` where a change cannot be written; one that does not fit what is there may also
   * fail when it is applied.
   */
  render(edits: readonly SlotEdit[], snapshot: Snapshot): Edit[]
  /** What an edit changes of the declarations of a metric; undefined for texts (queries, notes) and new entries. */
  slotEditOf(edit: Edit): SlotEdit | undefined
  /** The same edit with another value for its slot. */
  withValue(edit: Edit, value: SlotValue): Edit
  /** An edit that puts one word of a list in place of another, as one that adds and one that removes; else undefined. */
  splitReplacement(
    edit: Edit,
    snapshot: Snapshot,
  ): { readonly added: Edit; readonly removed: Edit } | undefined
  /** Throws `path_refused` where an edit may not write what it writes. */
  checkPlace(edit: Edit, folder: string): void
  /** Ids of the entries that an edit may change, by whatever names the file gives them. */
  entriesEditedBy(edit: Edit): readonly string[]
  readonly modelEdits: ModelEdits
  readonly creation: EntryCreation
  readonly former: FormerTexts
}

/** An edit as a model writes it: of a file, and what else its format asks for. */
export interface ProposedEdit {
  readonly path: string
}

/** Reads the edits that a model proposes. */
export interface ModelEdits {
  /** What a model may answer for its list of edits. */
  readonly schema: z.ZodType<readonly ProposedEdit[]>
  /** @param proposed one that the schema let through, perhaps with another path */
  toEdit(proposed: ProposedEdit, kb: KnowledgeBase): Edit
}

/** Writes entries that are not there yet. */
export interface EntryCreation {
  /** The file that a query of this name stands in, or would stand in. */
  queryPath(name: string, folder: string): string
  /** Name of the query that a metric of this name gets. */
  queryName(metric: string): string
  /** The metric's name that a query's name suggests. */
  metricNameOf(query: string): string
  /** Whether a metric of this name can be written, with a query of its own where it takes one. */
  isFree(metric: string, withQuery: boolean, snapshot: Snapshot, folder: string): boolean
  /** The edits that write a query, a metric, or both. */
  create(
    drafts: { readonly query?: NewQuery | undefined; readonly metric?: NewMetric | undefined },
    snapshot: Snapshot,
    folder: string,
  ): Edit[]
  /** The edit that brings a file back with this text; undefined for a file that holds no metric and no query. */
  file(path: string, text: string, folder: string): Edit | undefined
}

/** Reads lines that were taken out of the files of a format. */
export interface FormerLines {
  withoutComment(line: string): string
  /** Names that stand in a line on their own: items of a list, keys, values. What a comment calls a thing is no name. */
  namesIn(line: string): string[]
  /** Whether a line declares a parameter with its values: its names are not those of the metric. */
  isDeclaration(line: string): boolean
  /** Whether a line declares a parameter of this name. */
  declares(parameter: string, line: string): boolean
  /** Whether a line has the number for a default. */
  setsDefault(value: number, line: string): boolean
  /** Whether a line has the word for the value, or the value alone in front of a list. */
  hasWordOf(value: string, word: string, line: string): boolean
  /** Words behind the code of an enum; empty where it stands alone, undefined where the line does not have it. */
  enumWords(code: string, line: string): readonly string[] | undefined
  /** Words of a value in all that one change took out; undefined where nothing says them. */
  valueWords(code: string, text: string): string[] | undefined
  /** What a line calls the value of a choice with this expression. */
  choiceName(sql: string, line: string): string | undefined
}

/** Reads what files said before. */
export interface FormerTexts {
  readonly lines: FormerLines
  /** What an earlier text of a query's file says in its place; undefined where it had no such query. */
  queryIn(query: Snippet, text: string): string | undefined
  /** All that tells today's entry from what an earlier text of its file says; undefined where one of them cannot be read. */
  valuesOf(entry: string, path: string, text: string, snapshot: Snapshot): readonly FormerValue[] | undefined
  /**
   * An edit that adds something, with that in the place and the words that the newest of the earlier texts has for it; as
   * it is where none does.
   *
   * @param previous the edit ahead of it
   * @param snapshot with the edits ahead of it made
   */
  placedAsBefore(edit: Edit, previous: Edit | undefined, texts: readonly string[], snapshot: Snapshot): Edit
}
