import type { CopySpec } from '../../../engine/contract/copy-spec.js'
import type {
  CatalogueTable,
  CopyQueries,
  Engine,
  FuzzedCopies,
  FuzzedCopy,
  QueryLimits,
  QueryOutcome,
  UntriedValues,
} from '../../../engine/contract/engine.js'
import { profileOf } from '../../../engine/fuzz/copy-profiles.js'
import { identifiersIn } from '../../../engine/fuzz/redistribute-values.js'
import { randomFrom, shuffled } from '../../../engine/fuzz/seeded-random.js'
import { quoteName } from '../../../engine/query/quote-names.js'
import { AutotestError } from '../../../errors.js'
import { keepUnlessFailed, onceUnlessFailed } from '../../../platform/keep-unless-failed.js'
import { plainName, type SqlParser } from '../../../sql/index.js'
import { engineSchema } from '../../engine-schema.js'
import { finished } from '../../outcomes/deadline-errors.js'
import { type CopiedRows, fittingRows, withoutOrphans } from './copied-rows.js'
import { runWithDependentColumns } from './dependent-columns.js'
import type { Texts } from './read-rows.js'
import type { SampledTable } from './sample-tables.js'
import { createScratchCopies, type WrittenRows } from './scratch-copies.js'
import { checkColumns, type QueryReader, renameTables, shadowTables, tokensOf } from './shadowed-query.js'
import type { StagedSamples } from './staged-samples.js'
import { readingDefinition, tableDefinitions, type ValuesSyntax } from './table-values.js'

export interface SampledCopiesOptions {
  readonly engine: Engine
  readonly samples: StagedSamples
  readonly loadParser: () => Promise<SqlParser>
}

/** What Trino and BigQuery take as one query, less some for the query itself. */
const mostCharacters = 950_000

/** Reading a copy's rows back: they are few. */
const rowLimits: QueryLimits = { timeoutMs: 60_000, rows: 100_000, bytes: 256e6, memoryBytes: 1e9 }

/**
 * Makes fuzzed copies of a server's database without a right to write: samples of its tables are fuzzed on this machine, and
 * their rows stand in a WITH clause in front of each query, under names that the query is made to read. Where the server has
 * a scratch schema, they are written there, and the WITH clause reads them.
 */
export function createSampledCopies({ engine, samples, loadParser }: SampledCopiesOptions): FuzzedCopies {
  const reader = onceUnlessFailed(
    async (): Promise<QueryReader> => ({
      dialect: engine.dialect,
      parser: await loadParser(),
      catalogue: await engine.catalogue(),
      schema: await engineSchema(engine),
    }),
  )
  const syntax = onceUnlessFailed(() => valuesSyntax(engine))
  const scratchCopies = onceUnlessFailed(async () =>
    engine.scratch === undefined ? undefined : createScratchCopies(engine.scratch, await syntax()),
  )
  return {
    async open({ seed, index, tables }: CopySpec): Promise<FuzzedCopy> {
      // The sample has no other tables.
      const spec = { seed, index }
      if (tables === undefined && engine.samples === 'charged')
        throw new AutotestError('engine_unavailable', 'which tables the queries read is not known')
      const { catalogue } = await reader()
      const staged = await samples.of(engine, tablesToSample(catalogue.tables, tables))
      const scratch = await scratchCopies()
      const context = { engine, tables: staged.tables, reader: await reader(), syntax, scratch }
      const title = profileOf(spec.index).title
      const own: WithCopy = async (use) => {
        const { copies, release } = await staged.hold()
        try {
          return await use(await copies.open(spec))
        } finally {
          release()
        }
      }
      return {
        title,
        ...copyQueries(own, context),
        untriedIn: (queries) => untriedIn(queries, context),
        async withValues(values, spread) {
          const { copies, release } = await staged.hold()
          try {
            const injected = await (await copies.open(spec)).withValues(values, spread)
            const own = scratch?.temporary()
            return {
              title: injected.title,
              ...copyQueries((use) => use(injected), { ...context, scratch: own }),
              close: () =>
                Promise.all([injected.close(), own?.close()])
                  .then(() => undefined)
                  .finally(release),
            }
          } catch (error) {
            release()
            throw error
          }
        },
      }
    },
    // A server's database is not written in another order.
    queryReordered: async () => undefined,
  }
}

/** Returns the tables that are asked for, and those that these refer to; of views, all that they may read. */
function tablesToSample(
  tables: readonly CatalogueTable[],
  asked: CopySpec['tables'],
): readonly CatalogueTable[] {
  const wanted = new Set(asked ?? tables.map(({ name }) => plainName(name)))
  for (const name of wanted) {
    const table = tables.find((each) => plainName(each.name) === name)
    for (const { table: parent } of table?.references ?? []) wanted.add(plainName(parent))
    const words = new Set(table?.view?.toLowerCase().split(/[^\p{L}\p{N}_$]+/u))
    if (words.size > 0)
      for (const other of tables)
        if (words.has(plainName(other.name).split('.').at(-1) ?? '')) wanted.add(plainName(other.name))
  }
  return tables.filter(({ name, view }) => view === undefined && wanted.has(plainName(name)))
}

/** Runs something on a copy that is on this machine. */
type WithCopy = <Result>(use: (copy: CopyQueries) => Promise<Result>) => Promise<Result>

interface CopyContext {
  readonly engine: Engine
  readonly tables: readonly SampledTable[]
  readonly reader: QueryReader
  readonly syntax: () => Promise<ValuesSyntax>
  readonly scratch: WrittenRows | undefined
}

type Ordering = (rows: readonly Texts[]) => readonly Texts[]

const asStored: Ordering = (rows) => rows

/** MariaDB orders equal rows now so, now otherwise, even where they are stored as before. */
const orderings: readonly Ordering[] = [
  (rows) => rows.toReversed(),
  asStored,
  ...['one', 'two', 'three'].map(
    (seed): Ordering =>
      (rows) =>
        shuffled(rows, randomFrom(seed)),
  ),
]

/** Characters of a table's rows that stand in a query where they would be written for one pair of queries alone. */
const mostInQuery = 200_000

/** Reports whether rows are written to the scratch schema: what is used once is not, unless it has to be. */
function isWritten(table: SampledTable, rows: readonly Texts[], scratch: WrittenRows): boolean {
  if (scratch.isTemporary !== true || table.columns.some(({ type }) => type.isBorrowed === true)) return true
  let characters = 0
  for (const row of rows) for (const cell of row) characters += cell?.length ?? 0
  return characters > mostInQuery
}

/** Queries of the server on the rows of a copy that is on this machine. */
function copyQueries(withCopy: WithCopy, context: CopyContext): Omit<CopyQueries, 'title'> {
  const loaded = new Map<'rows', Promise<CopiedRows>>()
  const run = async (sql: string, limits: QueryLimits, inOrder: Ordering): Promise<QueryOutcome> => {
    const { engine, tables, reader, scratch } = context
    const renamed = renameTables(sql, reader)
    checkColumns(
      tables.filter(({ name }) => renamed.tables.some(({ table }) => plainName(table.name) === name)),
      [sql, ...renamed.views.map((view) => view.sql)],
      scratch === undefined,
    )
    const rows = await keepUnlessFailed(loaded, 'rows', () =>
      withCopy((copy) => loadRows(copy, context, limits)),
    )
    const syntax = await context.syntax()
    const defined = renamed.tables.map(async ({ name, table }) => {
      const sampled = tables.find((each) => each.name === plainName(table.name))
      if (sampled === undefined)
        throw new AutotestError('engine_unavailable', `${table.name} may not be read, or only in part`)
      const ordered = inOrder(rows.get(sampled.name) ?? [])
      return scratch === undefined || sampled.columns.length === 0 || !isWritten(sampled, ordered, scratch)
        ? tableDefinitions(sampled, ordered, name, syntax)
        : [readingDefinition(sampled, await scratch.tableOf(sampled, ordered), name, syntax.dialect)]
    })
    const definitions = (await Promise.all(defined)).flat()
    const length = definitions.reduce((sum, definition) => sum + definition.length, 0)
    if (length > mostCharacters)
      throw new AutotestError(
        'engine_unavailable',
        `the copies of its tables take ${length} characters, and a query may have ${mostCharacters}`,
      )
    return runWithDependentColumns(
      renamed.sql,
      reader.dialect,
      (text) => tokensOf(text, reader),
      (text) => engine.query(shadowTables({ ...renamed, sql: text }, definitions), limits),
    )
  }
  return {
    rounds: orderings.length,
    query: (sql, limits) => run(sql, limits, asStored),
    queryReordered: (sql, limits, round = 0) => run(sql, limits, orderings[round] ?? asStored),
  }
}

/** Returns what copies do not try of the columns that queries name. */
function untriedIn(queries: readonly string[], { tables, reader }: CopyContext): UntriedValues {
  const names = new Set(
    queries.flatMap((sql) => renameTables(sql, reader).tables.map(({ table }) => plainName(table.name))),
  )
  const words = new Set(identifiersIn(queries))
  const columns = tables
    .filter(({ name }) => names.has(name))
    .flatMap((table) =>
      table.columns.filter(({ name }) => words.has(name.toLowerCase())).map((column) => ({ table, column })),
    )
  const typeOf = (table: SampledTable, name: string): string =>
    table.table.columns.find((column) => column.name === name)?.type ?? ''
  return {
    heldOnly: columns.flatMap(({ table, column }) =>
      column.type.form.kind === 'held'
        ? [`${typeOf(table, column.name)} (${table.name}.${column.name})`]
        : [],
    ),
    habits: columns.flatMap(({ table, column: { name, habit } }) =>
      habit === undefined ? [] : [{ table: table.name, column: name, ...habit }],
    ),
  }
}

/** Reads the rows of a copy, without those that the server's constraints prohibit. */
async function loadRows(
  copy: CopyQueries,
  { engine, tables, syntax }: CopyContext,
  limits: QueryLimits,
): Promise<CopiedRows> {
  const rows = new Map<string, readonly Texts[]>()
  for (const table of tables) {
    const names = table.columns.map(({ name }) => quoteName(name)).join(', ')
    const sql = `SELECT ${names === '' ? '1' : names} FROM ${quoteName(table.name)}`
    const outcome = finished(await copy.query(sql, rowLimits))
    if (outcome.kind !== 'rows') throw new AutotestError('engine_unavailable', outcome.message)
    const fitting = fittingRows(table, outcome.result.rows)
    rows.set(table.name, await allowedRows(table, fitting, engine, await syntax(), limits))
  }
  return withoutOrphans(tables, rows)
}

/** Leaves out the rows that a CHECK prohibits, as the server itself sees it. */
async function allowedRows(
  table: SampledTable,
  rows: readonly Texts[],
  engine: Engine,
  syntax: ValuesSyntax,
  limits: QueryLimits,
): Promise<readonly Texts[]> {
  const checks = table.table.checks ?? []
  if (checks.length === 0 || rows.length === 0) return rows
  const definitions = tableDefinitions(table, rows, 'autotest_t', syntax, 'autotest_n')
  const broken = checks.map((check) => `NOT (${check})`).join(' OR ')
  const outcome = await engine.query(
    `WITH ${definitions.join(', ')} SELECT autotest_n FROM autotest_t WHERE ${broken}`,
    { ...limits, rows: rowLimits.rows },
  )
  if (outcome.kind !== 'rows')
    throw new AutotestError(
      'engine_unavailable',
      `the CHECK constraints of ${table.table.name} cannot be tested: ${outcome.message}`,
    )
  const refused = new Set(outcome.result.rows.map(([number]) => Number(number)))
  return rows.filter((_, at) => !refused.has(at))
}

async function valuesSyntax({ dialect, query }: Engine): Promise<ValuesSyntax> {
  if (dialect !== 'mysql') return { dialect, rowKeyword: '' }
  const outcome = await query('SELECT version()', rowLimits)
  const version = outcome.kind === 'rows' ? String(outcome.result.rows[0]?.[0]) : ''
  return { dialect, rowKeyword: /mariadb/iu.test(version) ? '' : 'ROW' }
}
