import { quoteShellArgument } from '../../report/format-text.js'
import type { RunDetail } from '../../store/records.js'
import type { ExitCode } from '../exit-code.js'
import { canResume } from './unfinished-run.js'

/**
 * What may be done about cases that were not asked, or that broke; undefined where nothing is left.
 *
 * @param db the run database as the request named it: the run is found again only there
 */
export function resumeHint(
  { run, cases }: RunDetail,
  exitCode: ExitCode,
  db: string | undefined,
): string | undefined {
  const { config } = run.options
  const command = (what: string): string => commandLine(what, { db, config })
  const resume = command(`--resume ${run.id}`)
  if (run.status === 'interrupted') return `interrupted · finish with: ${resume}`
  // A key that is refused and an account without credit are usage (2), and the run goes on once they are mended.
  if (exitCode !== 3 && exitCode !== 4 && run.status !== 'failed') return undefined
  if (!canResume({ ...run, exitCode }))
    return `what is left is asked about the repaired knowledge: ${command('--last-failed')}`
  if (exitCode === 4) return `its budget ended · with a larger one, go on with: ${resume}`
  if (run.status === 'failed') return `it ended early · once that is mended, go on with: ${resume}`
  const broken = cases.filter(({ outcome }) => outcome === 'errored').length
  return broken === 0
    ? `what could not be verified is tried again, once that is mended, by: ${resume}`
    : `${broken} of ${cases.length} cases broke · once that is mended, ask only them again: ${resume}`
}

function commandLine(what: string, files: Readonly<Record<string, unknown>>): string {
  const place = Object.entries(files).flatMap(([flag, file]) =>
    typeof file === 'string' ? [`--${flag} ${quoteShellArgument(file)}`] : [],
  )
  return ['autotest', what, ...place].join(' ')
}
