import { z } from 'zod'
import { policies } from '../enums/verdict-policy.js'
import type { SqlCase } from './case.js'
import { caseKind } from './case-kind.js'
import { caseFields, filled } from './schema.js'

const compare = z.strictObject({
  order: z.enum(['auto', 'ordered', 'unordered']).optional(),
  tolerance: z
    .number()
    .min(0, 'must not be negative')
    .lt(1, 'must be below 1, or anything matches')
    .optional(),
  columns: z.enum(['auto', 'name', 'position', 'values']).optional(),
  policy: z.enum(policies).optional(),
})

/**
 * A question with the query that answers it; the kind of a row that specifies none: `{id, question,
 * expected_sql, tags}`.
 */
export const sqlCaseKind = caseKind(
  z.strictObject({
    kind: z.literal('sql').optional(),
    id: caseFields.id,
    question: caseFields.question,
    expected_sql: filled,
    tags: caseFields.tags,
    compare: compare.optional(),
  }),
  (row, file, locate): SqlCase => ({
    kind: 'sql',
    id: row.id,
    question: row.question,
    expectedSql: row.expected_sql,
    tags: row.tags ?? [],
    engine: file.engine,
    dialect: file.dialect,
    asOf: file.as_of,
    compare: row.compare ?? {},
    location: locate(),
    sqlLocation: locate('expected_sql'),
  }),
)
