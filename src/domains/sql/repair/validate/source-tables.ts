import type { KnowledgeBase } from '../../../../kb/entry.js'
import { eachFrom, type FromNode, type QueryShape } from '../../../../sql/index.js'
import { type RepairContext, tablesOf } from '../model/repair-context.js'

/** Returns the tables and table functions that a query reads, by their names in lower case. */
export function sourcesIn(query: QueryShape): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (from: FromNode): void => {
    if (from.kind === 'table') found.add(from.name.toLowerCase())
    if (from.kind === 'function')
      found.add(from.call.kind === 'apply' ? from.call.op.toLowerCase() : 'a function')
    if (from.kind !== 'join') return
    add(from.left)
    add(from.right)
  }
  eachFrom(query, add)
  return found
}

/** Reports whether some snippet reads the table, with or without its schema. */
export function isReadBySnippet(table: string, kb: KnowledgeBase, context: RepairContext): boolean {
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
  const same = (other: string): boolean =>
    other === table || ((!other.includes('.') || !table.includes('.')) && last(other) === last(table))
  return [...kb.snippets.values()].some((snippet) => tablesOf(snippet, context).some(same))
}
