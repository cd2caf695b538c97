import { spawn } from 'node:child_process'
import { extname, join, resolve } from 'node:path'
import type { ExitCode } from '../../app/exit-code.js'
import { openStoreIfThere } from '../../app/project/project-store.js'
import { runFolder } from '../../app/project/run-folder.js'
import { runHistory } from '../../app/run/run-history.js'
import { AutotestError } from '../../errors.js'
import { writeReport } from '../../report/write.js'
import type { CommandContext } from '../command-context.js'
import { displayPath } from '../display-path.js'
import type { ReportFlags } from '../store-flags.js'

/** Writes the page of a run, and opens it where somebody looks at a terminal. */
export async function reportCommand(flags: ReportFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd, env, now } = context
  if (flags.output !== undefined && extname(flags.output).toLowerCase() !== '.html')
    throw new AutotestError('usage', `${flags.output}: a page ends with .html`, {
      hint: 'Other formats are written by autotest runs show RUN -o FILE.',
    })
  const opened = await openStoreIfThere({ ...flags, cwd }, now)
  if (opened === undefined)
    throw new AutotestError('run_unknown', 'there are no runs yet', { hint: 'Run `autotest` to record one.' })
  const { store, config } = opened
  try {
    const detail = store.runDetail(store.resolveRun(flags.run ?? 'last'))
    if (detail === undefined) throw new Error('the run was resolved but has no rows')
    const file =
      flags.output === undefined
        ? join(runFolder({ config }, detail.run.id), 'report.html')
        : resolve(cwd, flags.output)
    await writeReport(detail, file, env, runHistory(store, detail))
    terminal.out(displayPath(file, cwd))
    if (terminal.interactive && flags['no-open'] !== true) openInBrowser(file, terminal.err)
    return 0
  } finally {
    store.close()
  }
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
}

function openInBrowser(file: string, tell: (text: string) => void): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, file], { detached: true, stdio: 'ignore' })
  child.on('error', () => tell(`note  ${program} cannot be started: open the file yourself`))
  child.unref()
}
