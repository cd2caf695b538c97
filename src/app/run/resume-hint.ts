import type { RunDetail } from '../../store/record-types.js'
import { quoteShellArgument } from '../../text/shell-argument.js'
import type { ExitCode } from '../exit-code.js'
import type { RunRequest } from './run-request.js'
import { canResume } from './unfinished-run.js'

/**
 * Returns what to do about cases that were not run or had errors; undefined if there are none.
 *
 * @param request its database, as it was named: the run can be found only there; and whether it was to commit: what is continued without `--yes` does not
 */
export function resumeHint(
  { run, cases }: RunDetail,
  exitCode: ExitCode,
  { db, commit }: Pick<RunRequest, 'db' | 'commit'>,
): string | undefined {
  const { config } = run.options
  const command = (what: string): string => commandLine(what, { db, config })
  const commits = run.mode === 'repair' && commit === 'always' ? ' --yes' : ''
  const resume = command(`--resume ${run.id}${commits}`)
  if (run.status === 'interrupted') return `interrupted · finish with: ${resume}`
  // A rejected key and an account without credit are usage errors (2), and the run can continue once they are
  // fixed.
  if (exitCode !== 3 && exitCode !== 4 && run.status !== 'failed') return undefined
  if (!canResume({ ...run, exitCode }))
    return `run the remaining cases with the repaired knowledge: ${command('--last-failed')}`
  if (exitCode === 4) return `budget exhausted · continue with a larger one: ${resume}`
  if (run.status === 'failed') return `ended early · fix that, then continue with: ${resume}`
  const broken = cases.filter(({ outcome }) => outcome === 'errored').length
  const left = run.total - cases.length
  return broken === 0
    ? `some repairs could not be verified · fix that, then continue with: ${resume}`
    : left > 0
      ? `${broken} of ${run.total} cases had errors, ${left} were not asked · fix that, then run those: ${resume}`
      : `${broken} of ${cases.length} cases had errors · fix that, then rerun only those: ${resume}`
}

function commandLine(what: string, files: Readonly<Record<string, unknown>>): string {
  const place = Object.entries(files).flatMap(([flag, file]) =>
    typeof file === 'string' ? [`--${flag} ${quoteShellArgument(file)}`] : [],
  )
  return ['autotest', what, ...place].join(' ')
}
