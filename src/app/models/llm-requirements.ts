import type { Config, Repairer } from '../../config/config.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Where models are reached: with the keys of the environment, or in recordings. */
interface ModelAccess {
  readonly env: Environment
  readonly replay: string | undefined
}

/** Whether anything of a run speaks to a model. */
export function needsLlm(config: Config, repairing: boolean, reach: ModelAccess): boolean {
  const repairs = repairing && selectRepairers(config, reach).includes('llm')
  return config.agent.kind === 'llm' || repairs || usesJudge(config)
}

/** A judge is asked where the configuration names one. */
export function usesJudge({ llm }: Config): boolean {
  return llm.named.includes('judge')
}

/** Returns the repairers in the order tried: a model too where one is configured and its key is set, or not needed. */
export function selectRepairers({ repair, llm }: Config, { env, replay }: ModelAccess): readonly Repairer[] {
  if (repair.repairers !== undefined) return repair.repairers
  const { keyEnv } = llm.roles.repairer.endpoint
  const open = keyEnv === undefined || (env[keyEnv] ?? '') !== '' || replay !== undefined
  return llm.configured && open ? ['rules', 'llm'] : ['rules']
}
