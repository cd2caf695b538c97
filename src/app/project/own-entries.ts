import type { SqlCase } from '../../benchmark/case.js'
import type { Dialect } from '../../enums/dialect.js'
import type { KnowledgeEntry } from '../../kb/entries/entry-format.js'
import { ownEntriesOf } from '../../kb/nearest/own-entries.js'
import { entriesOf } from '../../kb/parse.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { canonicalForm, loadSqlParser } from '../../sql/index.js'

/** Returns a function for the entries that are hidden while a case is asked. */
export function createOwnEntries(
  dialect: Dialect,
): (testCase: SqlCase, snapshot: Snapshot) => Promise<readonly KnowledgeEntry[]> {
  const forms = new Map<string, string | undefined>()
  return async (testCase, snapshot) => {
    const { entries } = entriesOf(snapshot)
    if (entries.length === 0) return []
    const parser = await loadSqlParser()
    const formOf = (sql: string): string | undefined => {
      if (!forms.has(sql)) forms.set(sql, canonicalForm(parser, sql, dialect))
      return forms.get(sql)
    }
    return ownEntriesOf(testCase, entries, formOf)
  }
}
