import { createHash, randomBytes } from 'node:crypto'
import type { CatalogueTable } from '../../../engine/contract/engine.js'
import {
  type ScratchColumn,
  type ScratchSchema,
  scratchTableName,
} from '../../../engine/contract/scratch-schema.js'
import type { Dialect } from '../../../enums/dialect.js'
import { keepUnlessFailed, onceUnlessFailed } from '../../../platform/keep-unless-failed.js'
import { quoteNameIn } from './quote-in-dialect.js'
import type { Texts } from './read-rows.js'
import type { SampledTable } from './sample-tables.js'
import { rowQueries, type ValuesSyntax } from './table-values.js'

/** Rows that are written to a scratch schema. */
export interface WrittenRows {
  /** Its tables are dropped when the pair has been compared. */
  readonly isTemporary?: true
  /** Returns the table of the rows, qualified as a query reads it; one that is there already is used again. */
  tableOf(table: SampledTable, rows: readonly Texts[]): Promise<string>
}

export interface ScratchCopies extends WrittenRows {
  /** Returns copies whose tables are dropped when it is closed, unless they are also those of others. */
  temporary(): WrittenRows & { close(): Promise<void> }
}

/** Tables are used again by later runs, and dropped some days after that. */
const usedDays = 7
const keptDays = 9
/** Of a temporary one, which a run that was killed has left. */
const keptTemporaryDays = 2
const dayMs = 24 * 60 * 60 * 1000

/** @param now milliseconds since the epoch */
export function createScratchCopies(
  scratch: ScratchSchema,
  syntax: ValuesSyntax,
  now: () => number = Date.now,
): ScratchCopies {
  const { dialect } = syntax
  const kept = new Map<string, Promise<string>>()
  const presentByHash = onceUnlessFailed(() => dropOld(scratch, now()))
  const create = async (name: string, table: SampledTable, rows: readonly Texts[]): Promise<string> => {
    const queries = rowQueries(table, rows, syntax)
    await scratch.create({ name, columns: columnsOf(table, dialect), queries })
    return name
  }
  const keep = (hash: string, table: SampledTable, rows: readonly Texts[]): Promise<string> =>
    keepUnlessFailed(kept, hash, async () => {
      const name = (await presentByHash()).get(hash)
      return name ?? create(`autotest_copy_${dayOf(now())}_${hash}`, table, rows)
    })
  const qualified = (name: string): string =>
    [...scratch.schema.split('.'), name].map((part) => quoteNameIn(part, dialect)).join('.')
  return {
    tableOf: async (table, rows) => qualified(await keep(hashOf(table, rows), table, rows)),
    temporary() {
      const own = new Map<string, Promise<string>>()
      return {
        isTemporary: true,
        async tableOf(table, rows) {
          const hash = hashOf(table, rows)
          const known = kept.get(hash) ?? (await presentByHash()).get(hash)
          if (known !== undefined) return qualified(await known)
          const name = `autotest_copy_${dayOf(now())}_temporary_${randomBytes(6).toString('hex')}`
          return qualified(await keepUnlessFailed(own, hash, () => create(name, table, rows)))
        },
        async close() {
          const made = await Promise.allSettled(own.values())
          const names = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
          own.clear()
          // What stays is dropped by a later run.
          if (names.length > 0) await scratch.drop(names).catch(() => undefined)
        },
      }
    },
  }
}

/** Drops the tables that are old, and returns those that may be used, by the hash of their content. */
async function dropOld(scratch: ScratchSchema, now: number): Promise<ReadonlyMap<string, string>> {
  const usable = new Map<string, string>()
  const old: string[] = []
  for (const name of await scratch.tables()) {
    const [, year, month, day] = scratchTableName.exec(name) ?? []
    const days = (now - Date.UTC(Number(year), Number(month) - 1, Number(day))) / dayMs
    const hash = name.slice(name.lastIndexOf('_') + 1)
    const isKept = hash.length === hashLength
    if (days > (isKept ? keptDays : keptTemporaryDays)) old.push(name)
    else if (isKept && days < usedDays) usable.set(hash, name)
  }
  if (old.length > 0) await scratch.drop(old).catch(() => undefined)
  return usable
}

const hashLength = 16

function hashOf(table: SampledTable, rows: readonly Texts[]): string {
  const columns = table.columns.map(({ name }) => name)
  const text = JSON.stringify([columnDefinitions(table.table), columns, rows])
  return createHash('sha256').update(text).digest('hex').slice(0, hashLength)
}

function columnDefinitions({ columns }: CatalogueTable): readonly unknown[] {
  return columns.map(({ name, type, collation, characterSet }) => [name, type, collation, characterSet])
}

function columnsOf({ table, columns }: SampledTable, dialect: Dialect): readonly ScratchColumn[] {
  return columns.flatMap(({ name }) => {
    const column = table.columns.find((each) => each.name === name)
    return column === undefined ? [] : [{ name, type: typeOf(column, dialect) }]
  })
}

function typeOf(
  { type, collation, characterSet }: CatalogueTable['columns'][number],
  dialect: Dialect,
): string {
  if (collation === undefined) return type
  const set = dialect === 'mysql' && characterSet !== undefined ? ` CHARACTER SET ${characterSet}` : ''
  return `${type}${set} COLLATE ${collation}`
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10).replaceAll('-', '')
}
