import type { RunEvent, RunListener } from '../../app/run/run-events.js'
import { createWaitLog } from '../../app/run/wait-log.js'
import { chatSummary } from '../../report/chat-summary.js'
import {
  plainCaseLine,
  plainHeader,
  plainPlanDiff,
  plainQuestionLines,
  plainRepairLine,
  plainSummary,
} from '../../report/console/plain-log.js'
import { headerLines, tagLines } from '../../report/console/progress.js'
import { consoleReport, outcomeLines } from '../../report/console/run-outcome.js'
import { type Screen, wrap } from '../../report/console/screen-layout.js'
import { isPlan } from '../../report/format-text.js'
import { githubAnnotations } from '../../report/github-annotations.js'
import { describeAlike, gatherRepeatedErrors } from '../../report/repeated-errors.js'
import { formatReport } from '../../report/write.js'
import type { RunDetail } from '../../store/record-types.js'
import { redactDetail } from '../../store/redact-records.js'
import { createRedactor } from '../../text/secrets.js'
import type { CommandContext } from '../command-context.js'
import { displayPath } from '../display-path.js'
import type { RunFlags } from '../flags.js'
import type { Terminal } from '../terminal.js'
import { createFirstFailure } from './first-failure.js'
import { printSettlement } from './print-settlement.js'

type PrintFlags = Pick<RunFlags, 'reporter' | 'verbose'>
type Event<Kind> = Extract<RunEvent, { readonly kind: Kind }>

const formats: Readonly<Record<string, string>> = { json: '.json', junit: '.xml', markdown: '.md' }

/** Creates a listener that prints the events of a run, as the flags request. */
export function createRunPrinter(flags: PrintFlags, context: CommandContext): RunListener {
  const { terminal, env } = context
  const chosen = flags.reporter ?? (terminal.interactive ? ['console'] : ['plain'])
  const reporters = new Set(env['GITHUB_ACTIONS'] === 'true' ? [...chosen, 'github'] : chosen)
  const redact = createRedactor(env)
  // If a format was requested on standard output, that is for programs; people read standard error.
  const human = chosen.some((reporter) => reporter in formats || reporter === 'summary')
    ? terminal.err
    : terminal.out
  const note = (text: string): void => terminal.err(noteText(redact(text), terminal))
  const logWait = createWaitLog(note)
  const logCall = createWaitLog(note)
  let progress = ''
  const firstFailure = createFirstFailure(note)
  const show = (text: string): void => {
    progress = text
    terminal.status(text)
  }
  return (event) => {
    switch (event.kind) {
      case 'run_started':
        progress = ` 0/${event.run.total} cases`
        printStart(event, reporters, terminal, human)
        return
      case 'answered':
        show(` ${event.done}/${event.total} answers`)
        return
      case 'case_finished':
        firstFailure.see(event.record)
        show(` ${event.done}/${event.total} cases`)
        return
      case 'repair_started':
        show(` repairing ${event.cases} failing cases`)
        return
      case 'verifying':
        show(` verifying: ${event.asked}/${event.total} ${event.title}`)
        return
      case 'attempt_finished':
        show(` ${event.attempt.outcome}: ${event.attempt.title}`)
        return
      case 'waiting':
        terminal.status(event.text === '' ? '' : ` ${event.text}`)
        if (!terminal.interactive) logWait(event.text)
        return
      case 'calling':
        terminal.status(event.text === '' ? progress : `${progress} · ${event.text}`)
        // A log is told of a call that takes long.
        if (!terminal.interactive && / (?:[3-9]\d|\d{3,}) s\b/.test(event.text)) logCall(event.text)
        return
      case 'note':
        note(event.text)
        return
      case 'warning':
        terminal.err(`warning  ${event.text}`)
        return
      case 'results_ready':
        firstFailure.end()
        printResults(event, reporters, flags, context)
        return
      case 'run_finished':
        firstFailure.end()
        printEnd(event, reporters, context)
        return
      case 'reports_written':
        return
      default:
        printSettlement(event, terminal)
    }
  }
}

function printStart(
  { run, resumed }: Event<'run_started'>,
  reporters: ReadonlySet<string>,
  terminal: Terminal,
  human: (text: string) => void,
): void {
  if (reporters.has('console')) print(headerLines(run, screenOf(terminal)), terminal)
  if (reporters.has('plain')) terminal.out(plainHeader(run))
  const { known, of, what } = resumed
  if (known > 0) human(`resumed: ${known} of ${of} ${what} are already known`)
}

/** Prints the results before the question about the repairs. */
function printResults(
  { detail, reportFile }: Event<'results_ready'>,
  reporters: ReadonlySet<string>,
  { verbose }: PrintFlags,
  { terminal, cwd }: CommandContext,
): void {
  terminal.status('')
  if (reporters.has('console')) {
    const screen = screenOf(terminal)
    print(['', ...tagLines(detail.cases, screen), ''], terminal)
    print(outcomeLines(detail, screen, displayPath(reportFile, cwd)), terminal)
  }
  if (reporters.has('plain')) print(plainResults(detail, verbose === true), terminal)
}

function plainResults(detail: RunDetail, verbose: boolean): string[] {
  const { run, cases, attempts } = detail
  const lineColumns = verbose ? Number.POSITIVE_INFINITY : undefined
  const accepted = attempts.filter((attempt) => attempt.outcome === 'accepted')
  const isToApply = isPlan(run) && accepted.length > 0
  return [
    ...gatherRepeatedErrors(cases).flatMap(({ record, alike }) => [
      ...[plainCaseLine(record, lineColumns) ?? []].flat(),
      ...(alike.length === 0 ? [] : [`ERROR ${describeAlike(alike)}`]),
    ]),
    ...accepted.flatMap((attempt) => [plainRepairLine(attempt, run), ...plainPlanDiff(attempt, run)]),
    ...plainQuestionLines(detail),
    ...(isToApply ? [`Nothing was written · apply with: autotest apply ${run.id}`] : []),
  ]
}

/** Prints how the run ended. */
function printEnd(
  { detail, hint }: Event<'run_finished'>,
  reporters: ReadonlySet<string>,
  { terminal, env }: CommandContext,
): void {
  if (reporters.has('plain')) terminal.out(plainSummary(detail))
  for (const [reporter, extension] of Object.entries(formats)) {
    if (reporters.has(reporter)) terminal.out(formatReport(detail, `report${extension}`, env).trimEnd())
  }
  if (reporters.has('summary')) terminal.out(chatSummary(redactDetail(detail, createRedactor(env))))
  if (reporters.has('github')) for (const line of githubAnnotations(detail)) terminal.command(line)
  if (hint !== undefined) terminal.err(hint)
}

function print(lines: readonly string[], { out }: Terminal): void {
  for (const line of lines) out(line)
}

function screenOf({ width, color }: Terminal): Screen {
  return { width, color }
}

/** Wraps a note for a terminal; a log keeps it on one line. */
function noteText(text: string, { interactive, width }: Terminal): string {
  if (!interactive) return `note  ${text}`
  return wrap(text, width - 6, 6)
    .map((line, at) => `${at === 0 ? 'note  ' : '      '}${line}`)
    .join('\n')
}

/** Returns a stored run as it was shown when it ended. */
export function storedRunLines(detail: RunDetail, { terminal }: CommandContext): string[] {
  return consoleReport(detail, screenOf(terminal))
}
