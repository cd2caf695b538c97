import { LRUCache } from 'lru-cache'
import type { Dialect } from '../../enums/dialect.js'
import { AutotestError } from '../../errors.js'
import {
  type CompareOptions,
  compareQueryPair,
  parseSchema,
  type Schema,
  type SqlParser,
  type StructuralComparison,
} from '../../sql/index.js'

export interface QuerySide {
  readonly sql: string
  readonly dialect: Dialect
}

/** Compares pairs by structure; what depends on a schema only is computed once per schema. */
export interface StructureComparer {
  compare(
    expected: QuerySide,
    generated: QuerySide,
    options: Pick<CompareOptions, 'schema' | 'conventionalNames' | 'dialectDefaults'>,
  ): StructuralComparison
  /** Parses CREATE TABLE statements. Throws `AutotestError` if they cannot be parsed. */
  schemaOf(ddl: string, dialect: Dialect): Schema
}

const maxCachedSchemas = 32
/** Maximal number of characters of a query that is compared: that takes one or two seconds. */
const maxQueryLength = 1_200_000

export function createStructureComparer(parser: SqlParser): StructureComparer {
  const schemas = new LRUCache<string, Schema>({ max: maxCachedSchemas })

  function schemaOf(ddl: string, dialect: Dialect): Schema {
    const key = `${dialect}\0${ddl}`
    const known = schemas.get(key)
    if (known !== undefined) return known
    const schema = parseSchema(parser, ddl, dialect)
    if (schema.tables.size === 0 && ddl.trim() !== '') {
      throw new AutotestError('usage', 'schema: contains no readable CREATE TABLE statement', {
        hint: 'Give CREATE TABLE statements, separated by semicolons.',
      })
    }
    schemas.set(key, schema)
    return schema
  }

  return {
    compare(expected, generated, options) {
      const tooLong = [expected, generated].findIndex(({ sql }) => sql.length > maxQueryLength)
      if (tooLong < 0) return compareQueryPair(parser, expected, generated, options)
      const message = `longer than ${maxQueryLength.toLocaleString('en')} characters, the limit for a comparison`
      return { kind: 'unparsable', side: tooLong === 0 ? 'expected' : 'generated', message }
    },
    schemaOf,
  }
}
