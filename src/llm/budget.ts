import type { Role } from '../enums/role.js'
import { AutotestError } from '../errors.js'
import { addAmounts, type BudgetAmount, zeroAmount } from './budget-amount.js'

/** The limits of a run; undefined: no limit. */
export interface BudgetLimits {
  readonly calls?: number | undefined
  readonly tokens?: number | undefined
  readonly cost?: number | undefined
  /** The part of every limit that a role may use, from 0 to 1; a role without one may use all. */
  readonly shares?: Readonly<Partial<Record<Role, number>>> | undefined
}

/** An amount reserved before a call; `settle` replaces it by the actual usage. */
export interface Reservation {
  settle(actual: BudgetAmount): void
}

/** An amount reserved for future calls of any role. */
export interface BudgetHold {
  release(): void
}

/**
 * The single budget of a run. A reservation counts as spent until it is settled, so that concurrent calls
 * cannot exceed a limit together.
 */
export interface Budget {
  readonly limits: BudgetLimits
  /** Throws `AutotestError('budget_exhausted')` if a limit would be exceeded. */
  reserve(role: Role, most: BudgetAmount): Reservation
  /**
   * Throws `AutotestError('budget_exhausted')` if the limit or the role's share has less left.
   *
   * @param what its purpose, for the message
   */
  hold(role: Role, amount: BudgetAmount, what: string): BudgetHold
  /**
   * Resolves when one of the calls in progress is settled, which may use less than was reserved. Undefined if
   * there is none, or if only calls are limited: each of them uses one.
   */
  nextSettled(): Promise<void> | undefined
  /**
   * Returns the limit that would be required for a further amount of a role; undefined if the present one
   * suffices, or there is none.
   */
  requiredLimit(role: Role, limit: keyof BudgetAmount, more: number): number | undefined
  /** Returns what is spent or reserved, of a role alone if one is given. */
  spent(role?: Role): BudgetAmount
}

/**
 * Creates the budget of a run.
 *
 * @param already usage of an interrupted run that is resumed, by role
 */
export function createBudget(
  limits: BudgetLimits,
  already: ReadonlyMap<Role, BudgetAmount> = new Map(),
): Budget {
  const taken = new Map<Role | 'held', BudgetAmount>(already)
  const takenBy = (role: Role | 'held'): BudgetAmount => taken.get(role) ?? zeroAmount
  const total = (): BudgetAmount => [...taken.values()].reduce(addAmounts, zeroAmount)
  const add = (role: Role | 'held', amount: BudgetAmount, sign: 1 | -1): void => {
    const { calls, tokens, cost } = amount
    taken.set(
      role,
      addAmounts(takenBy(role), { calls: sign * calls, tokens: sign * tokens, cost: sign * cost }),
    )
  }
  let underWay = 0
  const waiting: (() => void)[] = []
  return {
    limits,
    nextSettled() {
      if (underWay === 0 || (limits.tokens === undefined && limits.cost === undefined)) return undefined
      return new Promise((resolve) => waiting.push(resolve))
    },
    reserve(role, most) {
      const share = limits.shares?.[role] ?? 1
      const passed =
        firstExceededLimit(addAmounts(total(), most), limits, 1) ??
        firstExceededLimit(addAmounts(takenBy(role), most), limits, share)
      if (passed !== undefined)
        throw exhaustedError(limits, {
          limit: passed,
          role,
          share,
          spent: total(),
          wanted: most,
          what: 'another call',
        })
      add(role, most, 1)
      underWay++
      return {
        settle(actual) {
          add(role, most, -1)
          add(role, actual, 1)
          underWay--
          for (const resolve of waiting.splice(0)) resolve()
        },
      }
    },
    hold(role, amount, what) {
      const share = limits.shares?.[role] ?? 1
      const whole = firstExceededLimit(addAmounts(total(), amount), limits, 1)
      if (whole !== undefined)
        throw exhaustedError(limits, { limit: whole, role, share: 1, spent: total(), wanted: amount, what })
      const own = firstExceededLimit(addAmounts(takenBy(role), amount), limits, share)
      if (own !== undefined)
        throw exhaustedError(limits, { limit: own, role, share, spent: takenBy(role), wanted: amount, what })
      add('held', amount, 1)
      return { release: () => add('held', amount, -1) }
    },
    requiredLimit(role, limit, more) {
      const most = limits[limit]
      const needed = Math.max(
        total()[limit] + more,
        (takenBy(role)[limit] + more) / (limits.shares?.[role] ?? 1),
      )
      return most === undefined || needed <= most + roundingTolerance ? undefined : needed
    },
    spent: (role) => (role === undefined ? total() : takenBy(role)),
  }
}

type Limit = 'calls' | 'tokens' | 'cost'

const flags: Readonly<Record<Limit, string>> = {
  calls: '--max-llm-calls',
  tokens: '--max-tokens',
  cost: '--max-cost',
}

/** Rounding errors in sums of prices must not count as exceeding a limit. */
const roundingTolerance = 1e-9

function firstExceededLimit(amount: BudgetAmount, limits: BudgetLimits, share: number): Limit | undefined {
  return (['calls', 'tokens', 'cost'] as const).find((limit) => {
    const most = limits[limit]
    return most !== undefined && amount[limit] > most * share + roundingTolerance
  })
}

/** A limit that would be exceeded, or the share of a role in it. */
interface Excess {
  readonly limit: Limit
  readonly role: Role
  readonly share: number
  readonly spent: BudgetAmount
  readonly wanted: BudgetAmount
  /** Its purpose: `another call`. */
  readonly what: string
}

function exhaustedError(
  limits: BudgetLimits,
  { limit, role, share, spent, wanted, what }: Excess,
): AutotestError {
  const most = limits[limit] ?? 0
  const names = { calls: 'LLM calls', tokens: 'tokens', cost: 'money' }
  const shown = (amount: BudgetAmount): string =>
    limit === 'cost' ? amount.cost.toFixed(4) : String(Math.ceil(amount[limit]))
  const more = limit === 'calls' && wanted.calls === 1 ? '' : `, and it may need ${shown(wanted)}`
  const whose = share < 1 ? ` (the share of ${role} is ${share})` : ''
  return new AutotestError(
    'budget_exhausted',
    `the budget of ${most} ${names[limit]} does not cover ${what}${whose}; ${shown(spent)} are spent or reserved${more}`,
    {
      hint:
        share < 1
          ? `Raise \`budget.shares.${role}\` in autotest.config.yaml, or the whole budget with ${flags[limit]}.`
          : `Raise it with ${flags[limit]}, or \`budget\` in autotest.config.yaml.`,
    },
  )
}
