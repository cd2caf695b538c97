import type { Role } from '../enums/role.js'
import type { Budget, BudgetHold } from './budget.js'

export interface AskCost {
  readonly budget: Budget
  /** Number of calls per question to the agent under test; 0 if it is not a model. */
  readonly callsPerAsk: number
  /** Role of the agent under test; absent: `sql`. */
  readonly role?: Role | undefined
}

/**
 * Reserves budget for a number of questions to the agent; throws `budget_exhausted` if too little is left.
 */
export function reserveAsks(asks: number, { budget, callsPerAsk, role = 'sql' }: AskCost): BudgetHold {
  const spent = budget.spent()
  const calls = asks * callsPerAsk
  // Tokens and money according to the average of previous calls.
  const perCall = spent.calls === 0 ? 0 : calls / spent.calls
  const amount = { calls, tokens: spent.tokens * perCall, cost: spent.cost * perCall }
  return budget.hold(role, amount, 'verifying another plan')
}
