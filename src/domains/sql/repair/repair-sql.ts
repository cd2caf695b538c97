import { repairFailures } from '../../../repair/loop.js'
import type { RepairInput, RepairResult } from '../../../repair/model/repair-input.js'
import type { SqlTypes } from '../sql-domain-types.js'
import { createSqlRepair, type SqlRepairContext } from './sql-repair.js'

/** Input for repairing text-to-SQL knowledge: the input of the loop, and the means to read queries. */
export interface SqlRepairInput
  extends Omit<RepairInput<SqlTypes>, 'domain' | 'evaluator'>,
    SqlRepairContext {}

/** Repairs the knowledge of a text-to-SQL agent in memory; nothing is written to disk. */
export function repairSqlFailures(input: SqlRepairInput): Promise<RepairResult> {
  return repairFailures<SqlTypes>({ ...input, domain: createSqlRepair(input) })
}
