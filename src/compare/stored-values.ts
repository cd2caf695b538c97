import type { ComparedText, StoredValues } from '../contracts/stored-values.js'
import type { Engine, QueryLimits } from '../engine/contract/engine.js'
import { collectComparedLiterals, renderLiteral, type SqlParser } from '../sql/index.js'
import { engineSchema } from './engine-schema.js'

/** How many other values of a column are read. */
const maxOthers = 12

/** Reads values of one engine. What it refuses is not known. */
export function createStoredValues(engine: Engine, parser: SqlParser, limits: QueryLimits): StoredValues {
  const known = new Map<string, Promise<readonly string[] | undefined>>()

  /** Returns the first column of the rows of a query. */
  function valuesOf(sql: string): Promise<readonly string[] | undefined> {
    const found = known.get(sql) ?? read(sql)
    known.set(sql, found)
    return found
  }

  async function read(sql: string): Promise<readonly string[] | undefined> {
    const outcome = await engine.query(sql, limits)
    if (outcome.kind !== 'rows') return undefined
    return outcome.result.rows.flatMap(([cell]) => (typeof cell === 'string' ? [cell] : []))
  }

  async function columnOf({ sql, dialect, text }: ComparedText) {
    if (dialect !== engine.dialect) return undefined
    const schema = await engineSchema(engine)
    const parsed = parser.parse(sql, dialect, schema)
    if (parsed.kind !== 'query') return undefined
    const literals = collectComparedLiterals(parsed.shape, dialect, schema)
    const found = literals.filter(
      (each) =>
        each.kind === 'text' && each.text === text && each.role === undefined && each.path === undefined,
    )
    const [first] = found
    return first !== undefined && found.every(({ column }) => column === first.column) ? first : undefined
  }

  return {
    async spellingOf(compared, value) {
      const place = await columnOf(compared)
      const literal = renderLiteral({ kind: 'text', text: value }, engine.dialect)
      if (place === undefined) return undefined
      const { table, column } = place
      const values = await valuesOf(
        `SELECT DISTINCT ${column} FROM ${table} WHERE lower(${column}) = lower(${literal})`,
      )
      if (values === undefined) return undefined
      return values.includes(value) ? value : (values[0] ?? 'absent')
    },
    async othersOf(compared) {
      const place = await columnOf(compared)
      if (place === undefined) return undefined
      const { table, column } = place
      const values = await valuesOf(
        `SELECT DISTINCT ${column} FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${column} LIMIT ${maxOthers}`,
      )
      return values && { column, values: values.filter((value) => value !== compared.text) }
    },
  }
}
