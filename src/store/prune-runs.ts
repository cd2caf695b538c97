import type { Database } from '../platform/sqlite.js'

/** Tables whose rows belong to a run, those that others refer to last. */
const ofRun = [
  'DELETE FROM edits WHERE attempt IN (SELECT seq FROM attempts WHERE run = ?)',
  'DELETE FROM edited_files WHERE attempt IN (SELECT seq FROM attempts WHERE run = ?)',
  'DELETE FROM attempts WHERE run = ?',
  'DELETE FROM scores WHERE sample IN (SELECT id FROM samples WHERE run = ?)',
  'DELETE FROM answers WHERE run = ?',
  'DELETE FROM cases WHERE run = ?',
  'DELETE FROM samples WHERE run = ?',
  'DELETE FROM events WHERE run = ?',
  'DELETE FROM llm_calls WHERE run = ?',
  'DELETE FROM engine_uses WHERE run = ?',
  'DELETE FROM judgements WHERE run = ?',
  'DELETE FROM questions WHERE run = ?',
  'DELETE FROM gates WHERE owner = (SELECT id FROM runs WHERE seq = ?)',
  'DELETE FROM runs WHERE seq = ?',
]

/** A run that may be removed. */
export interface OldRun {
  readonly id: string
  readonly seq: number
}

/** Returns runs of a project that began before a moment, have ended, and of which no edit waits for a decision. */
export function oldRuns(database: Database, root: string, before: Date): OldRun[] {
  return database
    .prepare(
      `SELECT id, seq FROM runs WHERE root = ? AND started_at < ? AND status <> 'running' AND (decision <> 'pending' OR mode = 'dry_run')
       AND NOT EXISTS (SELECT 1 FROM gates WHERE owner = runs.id AND answer IS NULL AND expires_at > ?) ORDER BY seq`,
    )
    .all(root, before.toISOString(), new Date().toISOString()) as OldRun[]
}

/** Removes a run with all that is known of it; to be called in a transaction. */
export function removeRun(database: Database, { seq }: OldRun): void {
  for (const statement of ofRun) database.prepare(statement).run(seq)
}
