import type { Guideline, GuidelineEvent } from './guideline.js'

/** What an agent is about to do. */
export interface GuidelineQuestion {
  readonly agent: string
  readonly domain?: string | undefined
  readonly action?: string | undefined
  /** What has happened in this work. */
  readonly events?: readonly GuidelineEvent[] | undefined
}

/** What the guidelines say to it. */
export interface GuidelinesContext {
  /** Those that hold, the most important first. */
  readonly guidelines: readonly Pick<Guideline, 'id' | 'name' | 'category' | 'priority'>[]
  /** Their instructions, a paragraph each. */
  readonly instruction: string
  /** Tools that some guideline allows, and none of more weight denies; undefined: no guideline lists any. */
  readonly tools_allowed: readonly string[] | undefined
  readonly tools_denied: readonly string[]
  readonly require_tests: boolean
  /** Gates that a person has to answer before the work goes on. */
  readonly gates: readonly {
    readonly id: string
    readonly gate_type: string
    readonly gate_threshold: 'advisory' | 'mandatory'
  }[]
}

/**
 * Returns what holds for an agent. A tool is allowed or denied by the guideline of the highest priority that names it; among equal ones, by that which
 * denies it.
 */
export function guidelinesContext(
  guidelines: readonly Guideline[],
  question: GuidelineQuestion,
): GuidelinesContext {
  const holding = guidelines
    .filter((each) => each.enabled && holds(each, question))
    .sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1))
  const decided = new Map<string, { readonly priority: number; readonly allowed: boolean }>()
  let listsAllowed = false
  for (const { priority, action } of holding) {
    if (action.type !== 'tool_restriction') continue
    listsAllowed ||= action.tools_allowed.length > 0
    for (const [tools, allowed] of [
      [action.tools_denied, false],
      [action.tools_allowed, true],
    ] as const)
      for (const tool of tools) {
        const known = decided.get(tool)
        if (known === undefined || (known.priority === priority && !allowed))
          decided.set(tool, { priority, allowed })
      }
  }
  const named = (allowed: boolean): readonly string[] =>
    [...decided].filter(([, each]) => each.allowed === allowed).map(([tool]) => tool)
  return {
    guidelines: holding.map(({ id, name, category, priority }) => ({ id, name, category, priority })),
    instruction: holding.map(({ action }) => action.instruction).join('\n\n'),
    tools_allowed: listsAllowed ? named(true) : undefined,
    tools_denied: named(false),
    require_tests: holding.some(({ action }) => action.type === 'constraint' && action.require_tests),
    gates: holding.flatMap(({ id, action }) =>
      action.type === 'hitl_gate'
        ? [{ id, gate_type: action.gate_type, gate_threshold: action.gate_threshold }]
        : [],
    ),
  }
}

function holds({ condition }: Guideline, { agent, domain, action, events = [] }: GuidelineQuestion): boolean {
  const among = (list: readonly string[] | undefined, value: string | undefined): boolean =>
    list === undefined || (value !== undefined && list.includes(value))
  return (
    among(condition.agents, agent) &&
    among(condition.domains, domain) &&
    among(condition.actions, action) &&
    (condition.events === undefined || condition.events.some((event) => events.includes(event)))
  )
}
