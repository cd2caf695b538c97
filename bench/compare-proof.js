import { rows, schemaTexts } from './compare-data.js'
import { copiesOf, rowsOf } from './compare-databases.js'
import { mutantsOf } from './compare-mutants.js'

/**
 * Runs all queries and mutants that share a canonical form over the original, fuzzed and NULL-injected data: they must
 * give the same rows.
 * @param formOf canonical form of a query, given the schema
 * @param readSchema reads DDL
 * @param every takes each n-th query only
 * @returns how many queries and forms there were, those that differ, and how many differ in the choice among ties only
 */
export function proveByData(formOf, readSchema, every = 1, fuzzed = 5, injected = 4) {
  const ddlOf = schemaTexts()
  const proof = { queries: 0, forms: 0, ties: 0, failures: [] }
  for (const [database, queries] of queriesByDatabase()) {
    const schema = readSchema(ddlOf(`spider:${database}`))
    const chosen = [...queries].filter((_, at) => at % every === 0)
    const all = new Set([...chosen, ...chosen.flatMap(mutantsOf)])
    const groups = new Map()
    for (const sql of all) {
      const form = formOf(sql, schema)
      if (form !== undefined) groups.set(form, [...(groups.get(form) ?? []), sql])
    }
    proof.queries += all.size
    proof.forms += groups.size
    const copies = copiesOf(database, fuzzed, injected)
    for (const group of groups.values()) compareGroup(group, copies, database, proof)
    for (const copy of copies) copy.close()
  }
  return proof
}

function compareGroup([one, ...others], copies, database, proof) {
  if (others.length === 0) return
  const wanted = copies.map((copy) => rowsOf(copy, one))
  for (const other of others) {
    const at = copies.findIndex((copy, place) => disagree(wanted[place], rowsOf(copy, other)))
    if (at < 0) continue
    if (isTie(copies[at], one, other)) proof.ties++
    else proof.failures.push({ database, one, other })
  }
}

function disagree(a, b) {
  return a !== undefined && b !== undefined && a !== b
}

/** Which of the rows that tie come first is free: without LIMIT the rows must agree. */
function isTie(copy, one, other) {
  const whole = (sql) => sql.replace(/\s+limit\s+\d+\s*$/iu, '')
  if (whole(one) === one || whole(other) === other) return false
  return !disagree(rowsOf(copy, whole(one)), rowsOf(copy, whole(other)))
}

function queriesByDatabase() {
  const found = new Map()
  const add = (database, sql) => {
    found.set(database, (found.get(database) ?? new Set()).add(sql.replace(/;\s*$/u, '')))
  }
  for (const row of rows('databases/cases.jsonl')) add(row.db, row.gold_sql)
  for (const row of [...rows('pairs_equiv.jsonl'), ...rows('pairs_diff.jsonl')]) {
    if (row.dialect !== 'sqlite' || !row.schema?.startsWith('spider:')) continue
    for (const sql of [row.sql_a, row.sql_b]) add(row.schema.slice('spider:'.length), sql)
  }
  return found
}
