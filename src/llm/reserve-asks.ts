import type { Budget, BudgetHold } from './budget.js'

export interface AskCost {
  readonly budget: Budget
  /** Calls that one ask of the agent under test takes; 0 for one that is no model. */
  readonly callsPerAsk: number
}

/** Sets aside what asking the agent so often takes; throws `budget_exhausted` where that much is not left. */
export function reserveAsks(asks: number, { budget, callsPerAsk }: AskCost): BudgetHold {
  const spent = budget.spent()
  const calls = asks * callsPerAsk
  // Tokens and money by what calls have taken so far.
  const perCall = spent.calls === 0 ? 0 : calls / spent.calls
  const amount = { calls, tokens: spent.tokens * perCall, cost: spent.cost * perCall }
  return budget.hold('sql', amount, 'verifying another plan')
}
