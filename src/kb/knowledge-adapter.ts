import type { z } from 'zod'
import type { Edit } from '../edit/edit-types.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { KnowledgeBase, Metric, Note, Parameter, Snippet } from './entry.js'
import type { LocatedSlot, SlotEdit, SlotValue } from './entry-slots.js'

/** The text that declares a metric. */
export interface Declaration {
  readonly text: string
  /** The parts of it addressed to people: comments, descriptions. */
  readonly prose: readonly string[]
}

/** A metric to be created. */
export interface NewMetric {
  readonly name: string
  readonly title: string
  readonly aliases: readonly string[]
  /** Name of its query in the knowledge base. */
  readonly query: string
  readonly parameters: ReadonlyMap<string, Parameter>
}

/** A query to be created. */
export interface NewQuery {
  readonly name: string
  readonly text: string
}

/** Where a person wrote that no repair may edit an entry. */
export interface RepairMark {
  readonly path: string
  /** From 1. */
  readonly line: number
  /** As it is written. */
  readonly text: string
}

/** One of the edits that restore an entry to an earlier text of its file. */
export interface FormerValue {
  readonly edit: Edit
  /** Whether today's text has no value in its place. */
  readonly isAddition: boolean
}

/**
 * A format of knowledge bases: reads files into entries with slots, and writes slot changes back as changes
 * of the author's text. It works on snapshots; nothing reads the disk.
 */
export interface KnowledgeAdapter {
  readonly name: string
  /** Which files it reads, for people. */
  readonly places: string
  /**
   * Reads the entries below a folder. Never throws because of a file's content, which is reported as a
   * problem of the knowledge base.
   */
  read(snapshot: Snapshot, folder: string): KnowledgeBase
  /** Returns the slots of an entry whose text occurs unchanged in its file, in file order. */
  slotsOf(entry: Metric | Snippet | Note, snapshot: Snapshot): readonly LocatedSlot[]
  /** Returns what the author wrote about a metric besides its query. */
  declarationOf(metric: Metric, snapshot: Snapshot): Declaration
  /**
   * Returns the file edits that make these changes, one after the other, and keep every other byte of the
   * text: comments, order, layout. Throws `edit_conflict` if a change cannot be written; a change whose
   * `expected` value differs from the file may also fail when it is applied.
   */
  render(edits: readonly SlotEdit[], snapshot: Snapshot): Edit[]
  /**
   * Returns the change that an edit makes to the declaration of a metric; undefined for texts (queries,
   * notes) and new entries.
   */
  slotEditOf(edit: Edit): SlotEdit | undefined
  /** Returns the same edit with another value for its slot. */
  withValue(edit: Edit, value: SlotValue): Edit
  /**
   * Splits an edit that replaces one word of a list into an addition and a removal; undefined for other
   * edits.
   */
  splitReplacement(
    edit: Edit,
    snapshot: Snapshot,
  ): { readonly added: Edit; readonly removed: Edit } | undefined
  /** Throws `path_refused` if an edit writes to a place where it must not. */
  checkPlace(edit: Edit, folder: string): void
  /** Returns the mark in a file that keeps repairs from editing it; undefined if there is none. */
  repairMark(path: string, snapshot: Snapshot): RepairMark | undefined
  /** Returns the ids of the entries that an edit may change, by every name that the file may give them. */
  entriesEditedBy(edit: Edit): readonly string[]
  readonly modelEdits: ModelEdits
  readonly creation: EntryCreation
  readonly former: FormerTexts
}

/** An edit as a model writes it: the file, and the fields that its format requires. */
export interface ProposedEdit {
  readonly path: string
}

/** Reads the edits that a model proposes. */
export interface ModelEdits {
  /** Schema of a model's list of edits. */
  readonly schema: z.ZodType<readonly ProposedEdit[]>
  /**
   * Converts a proposed edit.
   *
   * @param proposed an edit that matches the schema, perhaps with a corrected path
   */
  toEdit(proposed: ProposedEdit, kb: KnowledgeBase): Edit
}

/** Creates new entries. */
export interface EntryCreation {
  /** Returns the file of a query with this name, existing or not. */
  queryPath(name: string, folder: string): string
  /** Returns the name of the query for a metric of this name. */
  queryName(metric: string): string
  /** Returns the metric name that a query's name suggests. */
  metricNameOf(query: string): string
  /** Reports whether a metric of this name can be created, together with its own query if it needs one. */
  isFree(metric: string, withQuery: boolean, snapshot: Snapshot, folder: string): boolean
  /** Returns the edits that create a query, a metric, or both. */
  create(
    drafts: { readonly query?: NewQuery | undefined; readonly metric?: NewMetric | undefined },
    snapshot: Snapshot,
    folder: string,
  ): Edit[]
  /**
   * Returns the edit that restores a file with this text; undefined for a file that contains no metric and no
   * query.
   */
  file(path: string, text: string, folder: string): Edit | undefined
}

/** Reads lines that were removed from files of a format. */
export interface FormerLines {
  withoutComment(line: string): string
  /**
   * Returns names that are complete items of a line: list items, keys, values. A name in a comment does not
   * count.
   */
  namesIn(line: string): string[]
  /** Reports whether a line declares a parameter with its values: its names are not those of the metric. */
  isDeclaration(line: string): boolean
  /** Reports whether a line declares a parameter of this name. */
  declares(parameter: string, line: string): boolean
  /** Reports whether a line sets the number as a default. */
  setsDefault(value: number, line: string): boolean
  /** Reports whether a line has the word for the value, or the value alone before a list. */
  hasWordOf(value: string, word: string, line: string): boolean
  /**
   * Returns the words after the code of an enum; empty if it is alone, undefined if the line does not have
   * it.
   */
  enumWords(code: string, line: string): readonly string[] | undefined
  /**
   * Returns the words of a value in all lines that one change removed; undefined if they do not contain it.
   */
  valueWords(code: string, text: string): string[] | undefined
  /** Returns the name that a line gives to the value of a choice with this expression. */
  choiceName(sql: string, line: string): string | undefined
}

/** Reads former texts of files. */
export interface FormerTexts {
  readonly lines: FormerLines
  /** Returns the query in an earlier text of its file; undefined if that had no such query. */
  queryIn(query: Snippet, text: string): string | undefined
  /**
   * Returns all differences between today's entry and an earlier text of its file; undefined if one of them
   * cannot be read.
   */
  valuesOf(entry: string, path: string, text: string, snapshot: Snapshot): readonly FormerValue[] | undefined
  /**
   * Places an addition, with its wording, where the newest of the earlier texts has it; unchanged if none
   * does.
   *
   * @param previous the edit before it
   * @param snapshot the files with the preceding edits made
   */
  placedAsBefore(edit: Edit, previous: Edit | undefined, texts: readonly string[], snapshot: Snapshot): Edit
}
