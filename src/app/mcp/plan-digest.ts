import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { loadConfig } from '../../config/load.js'
import { AutotestError } from '../../errors.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import { runFolder } from '../project/run-folder.js'

/** Returns a hash of a run's plan as it lies on disk: what is confirmed is what is written. Throws `run_unknown`. */
export async function planDigest(cwd: string, run: string): Promise<string> {
  const config = await loadConfig({ cwd })
  try {
    const bytes = await readRegularFile(join(runFolder({ config }, run), 'plan.json'))
    return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  } catch (error) {
    throw new AutotestError('run_unknown', `run ${run} has no plan to apply`, {
      hint: 'Plans are made by the tool run with repairs=plan, where a repair is found.',
      cause: error,
    })
  }
}
