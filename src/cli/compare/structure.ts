import { LRUCache } from 'lru-cache'
import type { Dialect } from '../../dialect.js'
import { canonicalForm } from '../../sql/canonical.js'
import { compareSides } from '../../sql/compare.js'
import type { StructureFinding } from '../../sql/finding.js'
import type { SqlParser } from '../../sql/parser.js'
import { parseSchema, type Schema } from '../../sql/schema.js'

export interface Side {
  readonly sql: string
  readonly dialect: Dialect
}

/** Compares pairs by structure; what is needed of each schema is worked out once. */
export interface StructureComparer {
  /** `schema` is CREATE TABLE statements. Throws `AutotestError` where they cannot be read. */
  compare(expected: Side, generated: Side, schema?: string): StructureFinding
  /** Canonical form of one query; undefined where it cannot be parsed. */
  form(side: Side, schema?: string): string | undefined
}

const schemasKept = 32

export function createStructureComparer(parser: SqlParser): StructureComparer {
  const schemas = new LRUCache<string, Schema>({ max: schemasKept })

  function schemaOf(ddl: string | undefined, dialect: Dialect): Schema | undefined {
    if (ddl === undefined) return undefined
    const key = `${dialect}\0${ddl}`
    const known = schemas.get(key)
    if (known !== undefined) return known
    const schema = parseSchema(parser, ddl, dialect)
    schemas.set(key, schema)
    return schema
  }

  return {
    compare: (expected, generated, schema) =>
      compareSides(parser, expected, generated, { schema: schemaOf(schema, expected.dialect) }),
    form: (side, schema) => canonicalForm(parser, side.sql, side.dialect, schemaOf(schema, side.dialect)),
  }
}
