import { resolve } from 'node:path'
import type { ExitCode } from '../../app/exit-code.js'
import { openProjectStore } from '../../app/project/project-store.js'
import { runHistory } from '../../app/run/run-history.js'
import { runsDiffLines, runsListLines } from '../../report/console/runs.js'
import { checkReportFile, writeReport } from '../../report/write.js'
import type { RunDetail } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'
import { parseCommaList } from '../../text/comma-list.js'
import type { CommandContext } from '../command-context.js'
import { storedRunLines } from '../run/print-run.js'
import type { StoreFlags } from '../store-flags.js'

const listedRuns = 20

export async function listCommand(flags: StoreFlags, context: CommandContext): Promise<ExitCode> {
  const { store } = await openProjectStore({ ...flags, cwd: context.cwd }, context.now)
  try {
    const runs = store.listRuns({ limit: listedRuns })
    if (runs.length === 0) context.terminal.out('No runs yet: start with autotest')
    else print(runsListLines(runs, screenOf(context)), context)
    return 0
  } finally {
    store.close()
  }
}

export async function showCommand(
  flags: StoreFlags & { readonly run: string; readonly output?: readonly string[] | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  for (const file of parseCommaList(flags.output)) checkReportFile(file)
  const { store } = await openProjectStore({ ...flags, cwd: context.cwd }, context.now)
  try {
    const detail = detailOf(store, flags.run)
    print(storedRunLines(detail, context), context)
    for (const file of parseCommaList(flags.output))
      await writeReport(detail, resolve(context.cwd, file), context.env, runHistory(store, detail))
    return 0
  } finally {
    store.close()
  }
}

export async function diffCommand(
  flags: StoreFlags & { readonly a: string; readonly b: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { store } = await openProjectStore({ ...flags, cwd: context.cwd }, context.now)
  try {
    print(runsDiffLines(detailOf(store, flags.a), detailOf(store, flags.b), screenOf(context)), context)
    return 0
  } finally {
    store.close()
  }
}

function detailOf(store: RunStore, name: string): RunDetail {
  const detail = store.runDetail(store.resolveRun(name))
  if (detail === undefined) throw new Error(`run ${name} was resolved but has no rows`)
  return detail
}

function screenOf({ terminal }: CommandContext): { readonly width: number; readonly color: boolean } {
  return { width: terminal.width, color: terminal.color }
}

function print(lines: readonly string[], { terminal }: CommandContext): void {
  for (const line of lines) terminal.out(line)
}
