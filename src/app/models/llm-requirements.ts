import { type Config, type Repairer, repeatedRun } from '../../config/config.js'

type Environment = Readonly<Record<string, string | undefined>>

/** How models are reached: with the keys of the environment, or by recordings. */
interface ModelAccess {
  readonly env: Environment
  readonly replay: string | undefined
}

/** Reports whether any part of a run uses a model. */
export function needsLlm(config: Config, repairing: boolean, reach: ModelAccess): boolean {
  const repairs = repairing && selectRepairers(config, reach).includes('llm')
  return config.agent.kind === 'llm' || asksModelForTests(config) || repairs || usesJudge(config)
}

/** Reports whether a model, and not the rules, writes the tests. */
export function asksModelForTests({ agent }: Config): boolean {
  return agent.kind === 'subagent' && agent.model !== 'rules' && repeatedRun(agent.model) === undefined
}

/** Reports whether a judge is used, which it is if the configuration names one. */
export function usesJudge({ llm }: Config): boolean {
  return llm.named.includes('judge')
}

/**
 * Returns the repairers in the order tried; includes a model if one is configured and its key is set, or not
 * needed.
 */
export function selectRepairers({ repair, llm }: Config, { env, replay }: ModelAccess): readonly Repairer[] {
  if (repair.repairers !== undefined) return repair.repairers
  const { keyEnv } = llm.roles.repairer.endpoint
  const open = keyEnv === undefined || (env[keyEnv] ?? '') !== '' || replay !== undefined
  return llm.configured && open ? ['rules', 'llm'] : ['rules']
}
