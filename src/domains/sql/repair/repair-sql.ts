import { repairFailures } from '../../../repair/loop.js'
import type { RepairInput, RepairResult } from '../../../repair/model/input.js'
import type { SqlTypes } from '../types.js'
import { createSqlRepair, type SqlRepairContext } from './sql-repair.js'

/** What repairing text-to-SQL knowledge is given: what the loop needs, and what reading queries takes. */
export interface SqlRepairInput
  extends Omit<RepairInput<SqlTypes>, 'domain' | 'evaluator'>,
    SqlRepairContext {}

/** Repairs the knowledge of a text-to-SQL agent in memory; nothing is written. */
export function repairSqlFailures(input: SqlRepairInput): Promise<RepairResult> {
  return repairFailures<SqlTypes>({ ...input, domain: createSqlRepair(input) })
}
