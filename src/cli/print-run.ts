import { canResume } from '../app/run/unfinished-run.js'
import {
  plainCaseLine,
  plainHeader,
  plainPlanDiff,
  plainRepairLine,
  plainSummary,
} from '../report/console/plain.js'
import { headerLines, tagLines } from '../report/console/progress.js'
import { consoleReport, outcomeLines } from '../report/console/run-outcome.js'
import { wrap } from '../report/console/screen.js'
import { isPlan, quoteShellArgument } from '../report/format-text.js'
import { githubAnnotations } from '../report/github-annotations.js'
import { formatReport } from '../report/write.js'
import type { RunListener } from '../run/events.js'
import type { RunDetail } from '../store/records.js'
import { createRedactor } from '../text/secrets.js'
import type { CommandContext } from './command-context.js'
import type { ExitCode } from './exit-code.js'
import type { RunFlags } from './flags.js'

/** What a run prints, and when. */
export interface RunPrinter {
  readonly listen: RunListener
  /** Before the question what becomes of the repairs. */
  summary(detail: RunDetail, report: string): void
  /** Once it is known how the run ended. */
  end(detail: RunDetail, exitCode: ExitCode): void
}

const formats: Readonly<Record<string, string>> = { json: '.json', junit: '.xml', markdown: '.md' }

/** How often a log says what is waited for, in milliseconds. */
const waitLogMs = 60_000

export function createPrinter(flags: RunFlags, context: CommandContext): RunPrinter {
  const { terminal, env } = context
  const chosen = flags.reporter ?? (terminal.interactive ? ['console'] : ['plain'])
  const reporters = new Set(env['GITHUB_ACTIONS'] === 'true' ? [...chosen, 'github'] : chosen)
  const redact = createRedactor(env)
  const screen = { width: terminal.width, color: terminal.color }
  const print = (lines: readonly string[]): void => {
    for (const line of lines) terminal.out(line)
  }
  // A machine reads standard output when a format was asked for there; people read standard error.
  const human = chosen.some((reporter) => reporter in formats) ? terminal.err : terminal.out
  const lineColumns = flags.verbose === true ? Number.POSITIVE_INFINITY : undefined
  let waitLogged = Number.NEGATIVE_INFINITY
  /** A log shows no status, and a run that is silent for minutes looks like one that hangs. */
  const logWait = (text: string): void => {
    if (terminal.interactive || text === '' || performance.now() - waitLogged < waitLogMs) return
    waitLogged = performance.now()
    terminal.err(noteText(redact(text), terminal))
  }
  const listen: RunListener = (event) => {
    switch (event.kind) {
      case 'run_started':
        if (reporters.has('console')) print(headerLines(event.run, screen))
        if (reporters.has('plain')) terminal.out(plainHeader(event.run))
        if (event.resumed.known > 0) {
          const { known, of, what } = event.resumed
          human(`resumed: ${known} of ${of} ${what} are known already`)
        }
        return
      case 'answered':
        terminal.status(` ${event.done}/${event.total} answers`)
        return
      case 'case_finished':
        terminal.status(` ${event.done}/${event.total} cases`)
        return
      case 'repair_started':
        terminal.status(` repairing ${event.cases} failing cases`)
        return
      case 'verifying':
        terminal.status(` verifying: ${event.asked}/${event.total} ${event.title}`)
        return
      case 'attempt_finished':
        terminal.status(` ${event.attempt.outcome}: ${event.attempt.title}`)
        return
      case 'waiting':
        terminal.status(event.text === '' ? '' : ` ${event.text}`)
        logWait(event.text)
        return
      case 'note':
        terminal.err(noteText(redact(event.text), terminal))
        return
    }
  }
  return {
    listen,
    summary(detail, report) {
      terminal.status('')
      if (reporters.has('console')) {
        print(['', ...tagLines(detail.cases, screen), ''])
        print(outcomeLines(detail, screen, report))
      }
      if (reporters.has('plain')) {
        print(detail.cases.flatMap((record) => plainCaseLine(record, lineColumns) ?? []))
        print(
          detail.attempts
            .filter((attempt) => attempt.outcome === 'accepted')
            .flatMap((attempt) => [
              plainRepairLine(attempt, detail.run),
              ...plainPlanDiff(attempt, detail.run),
            ]),
        )
        if (isPlan(detail.run) && detail.attempts.some((attempt) => attempt.outcome === 'accepted'))
          terminal.out(`Nothing was written · apply with: autotest apply ${detail.run.id}`)
      }
    },
    end(detail, exitCode) {
      if (reporters.has('plain')) terminal.out(plainSummary({ ...detail, run: { ...detail.run, exitCode } }))
      for (const [reporter, extension] of Object.entries(formats)) {
        if (reporters.has(reporter)) terminal.out(formatReport(detail, `report${extension}`, env).trimEnd())
      }
      if (reporters.has('github')) print(githubAnnotations(detail))
      const how = resumeHint(detail, exitCode, flags)
      if (how !== undefined) terminal.err(how)
    },
  }
}

/** A note on as many lines as a terminal needs; a log keeps it on one. */
function noteText(text: string, { interactive, width }: CommandContext['terminal']): string {
  if (!interactive) return `note  ${text}`
  return wrap(text, width - 6, 6)
    .map((line, at) => `${at === 0 ? 'note  ' : '      '}${line}`)
    .join('\n')
}

/** What may be done about cases that were not asked, or that broke. */
function resumeHint({ run, cases }: RunDetail, exitCode: number, flags: RunFlags): string | undefined {
  const resume = resumeCommand(run.id, flags)
  if (run.status === 'interrupted') return `interrupted · finish with: ${resume}`
  // A key that is refused and an account without credit are usage (2), and the run goes on once they are mended.
  if (exitCode !== 3 && exitCode !== 4 && run.status !== 'failed') return undefined
  if (!canResume({ ...run, exitCode }))
    return `what is left is asked about the repaired knowledge: ${command('--last-failed', flags)}`
  if (exitCode === 4) return `its budget ended · with a larger one, go on with: ${resume}`
  if (run.status === 'failed') return `it ended early · once that is mended, go on with: ${resume}`
  const broken = cases.filter(({ outcome }) => outcome === 'errored').length
  return broken === 0
    ? `what could not be verified is tried again, once that is mended, by: ${resume}`
    : `${broken} of ${cases.length} cases broke · once that is mended, ask only them again: ${resume}`
}

/** The run is found again only in the same run database. */
function resumeCommand(runId: string, flags: RunFlags): string {
  return command(`--resume ${runId}`, flags)
}

function command(what: string, { db, config }: RunFlags): string {
  const place = Object.entries({ db, config }).flatMap(([flag, file]) =>
    file === undefined ? [] : [`--${flag} ${quoteShellArgument(file)}`],
  )
  return ['autotest', what, ...place].join(' ')
}

/** A stored run as it was shown when it ended. */
export function storedRunLines(detail: RunDetail, context: CommandContext): string[] {
  return consoleReport(detail, { width: context.terminal.width, color: context.terminal.color })
}
