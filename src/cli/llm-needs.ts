import type { Config, Repairer } from '../config/config.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Whether anything of a run speaks to a model. */
export function needsLlm(config: Config, repairing: boolean, env: Environment): boolean {
  const repairs = repairing && repairersOf(config, env).includes('llm')
  return config.agent.kind === 'llm' || repairs || judges(config)
}

/** A judge is asked where the configuration names one. */
export function judges({ llm }: Config): boolean {
  return llm.named.includes('judge')
}

/** What repairs, in the order tried: a model too where one is configured and its key is set. */
export function repairersOf({ repair, llm }: Config, env: Environment): readonly Repairer[] {
  if (repair.repairers !== undefined) return repair.repairers
  const reachable = llm.configured && (llm.keyEnv === undefined || (env[llm.keyEnv] ?? '') !== '')
  return reachable ? ['rules', 'llm'] : ['rules']
}
