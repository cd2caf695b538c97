import * as vscode from 'vscode'
import { folderOf, uriIn } from '../server/paths.js'
import type { RepairPlan } from '../server/protocol.js'
import type { Servers } from '../server/servers.js'
import { Texts } from '../texts.js'
import { withProgress } from '../with-progress.js'
import type { CaseLenses } from './case-lenses.js'

export interface CaseContext {
  readonly servers: Servers
  readonly lenses: CaseLenses
  readonly texts: Texts
  /** Called when a run may have left gates open. */
  readonly onDidRun: (folder: vscode.WorkspaceFolder) => void
}

interface RunReport {
  readonly run: { readonly id: string }
  readonly cases: readonly { readonly id: string; readonly outcome: string; readonly reason?: string }[]
  readonly repairs: readonly { readonly outcome: string; readonly title: string }[]
}

/** A case and where it is. */
interface CasePlace {
  readonly uri: vscode.Uri
  readonly folder: vscode.WorkspaceFolder
  readonly id: string
  /** The last run that had it. */
  readonly run: string | undefined
}

/** Evaluates one case, and shows its verdict above it. */
export async function runCase(context: CaseContext, uri?: vscode.Uri, caseId?: string): Promise<void> {
  const { folder, id } = await caseAt(context, uri, caseId)
  await saveCases()
  await run(context, folder, id, 'evaluate', `Running ${id}`)
}

/** Shows a case in earlier runs. */
export async function whyCase(context: CaseContext, uri?: vscode.Uri, caseId?: string): Promise<void> {
  const { folder, id } = await caseAt(context, uri, caseId)
  const text = await context.servers.request<string>(folder, 'why', { caseId: id, form: 'text' })
  const document = await vscode.workspace.openTextDocument(context.texts.put(`why/${id}.txt`, text))
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
  })
}

/** Looks for a verified repair of a case without writing anything, and shows it. */
export async function planRepair(context: CaseContext, uri?: vscode.Uri, caseId?: string): Promise<void> {
  const { uri: file, folder, id } = await caseAt(context, uri, caseId)
  await saveCases()
  const report = await run(context, folder, id, 'dry_run', `Planning a repair of ${id}`)
  if (report === undefined) return
  const planned = report.cases.find((each) => each.id === id)
  if (planned?.outcome === 'pending') await showPlan(context, file, id, report.run.id)
  else {
    const reason = planned?.reason === undefined ? '' : `: ${planned.reason}`
    void vscode.window.showInformationMessage(
      planned?.outcome === 'passed'
        ? `${id} passes: there is nothing to repair.`
        : `No verified repair of ${id} was found${reason}`,
    )
  }
}

/** Shows what a plan changes, as differences of files, and asks what to do with it. */
export async function showPlan(
  context: CaseContext,
  uri?: vscode.Uri,
  caseId?: string,
  runId?: string,
): Promise<void> {
  const { uri: file, folder, id, run: known } = await caseAt(context, uri, caseId, runId)
  const plan = await planOf(context, folder, known)
  for (const { title, changes } of plan.repairs)
    for (const { path, before, after } of changes) {
      const left = before === null ? context.texts.put(`nothing/${path}`, '') : uriIn(folder, path)
      const right = context.texts.put(`planned/${plan.run}/${path}`, after ?? '')
      await vscode.commands.executeCommand('vscode.diff', left, right, `${path}: ${title}`)
    }
  const titles = plan.repairs.map(({ title }) => title).join(', ')
  void vscode.window
    .showInformationMessage(`Planned repair of ${id}: ${titles}. Nothing is written yet.`, 'Accept', 'Reject')
    .then((choice) => {
      if (choice === undefined) return
      const command = choice === 'Accept' ? 'autotest.acceptPlan' : 'autotest.rejectPlan'
      void vscode.commands.executeCommand(command, file, id, plan.run)
    })
}

/** Writes the repairs of a plan, and evaluates the case again. */
export async function acceptPlan(
  context: CaseContext,
  uri?: vscode.Uri,
  caseId?: string,
  runId?: string,
): Promise<void> {
  const { folder, id, run: known } = await caseAt(context, uri, caseId, runId)
  const plan = await planOf(context, folder, known)
  const paths = new Set(
    plan.repairs.flatMap(({ changes }) => changes.map(({ path }) => uriIn(folder, path).toString())),
  )
  const dirty = vscode.workspace.textDocuments.find((each) => each.isDirty && paths.has(each.uri.toString()))
  if (dirty !== undefined)
    throw new Error(`${dirty.fileName} is not saved: save it or undo its changes first`)
  await context.servers.request(folder, 'apply_plan', { run: plan.run })
  await closePlan(plan)
  await run(context, folder, id, 'evaluate', `Running ${id} on the repaired knowledge`)
}

/** Records that a plan is not wanted: later runs do not propose it again. */
export async function rejectPlan(
  context: CaseContext,
  uri?: vscode.Uri,
  caseId?: string,
  runId?: string,
): Promise<void> {
  const { folder, run: known } = await caseAt(context, uri, caseId, runId)
  const plan = await planOf(context, folder, known)
  const reason = await vscode.window.showInputBox({
    title: `Reject the repair of ${plan.run}`,
    prompt: 'Why? It is kept in the decisions file; empty for no reason.',
  })
  if (reason === undefined) return
  await context.servers.request(folder, 'reject_plan', { run: plan.run, reason })
  await closePlan(plan)
  context.lenses.refresh()
  context.onDidRun(folder)
}

/** Closes the differences of a plan that is decided. */
async function closePlan({ run }: RepairPlan): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(
      ({ input }) =>
        input instanceof vscode.TabInputTextDiff &&
        input.modified.scheme === Texts.scheme &&
        input.modified.path.startsWith(`/planned/${run}/`),
    )
  await vscode.window.tabGroups.close(tabs)
}

async function planOf(
  { servers }: CaseContext,
  folder: vscode.WorkspaceFolder,
  run: string | undefined,
): Promise<RepairPlan> {
  if (run === undefined) throw new Error('no repair is planned for this case yet')
  return servers.request<RepairPlan>(folder, 'plan', { run })
}

async function run(
  { servers, lenses, onDidRun }: CaseContext,
  folder: vscode.WorkspaceFolder,
  id: string,
  mode: 'evaluate' | 'dry_run',
  title: string,
): Promise<RunReport | undefined> {
  try {
    return await withProgress(title, (call) =>
      servers.request<RunReport>(folder, 'run', { ids: [id], mode }, call),
    )
  } finally {
    lenses.refresh()
    onDidRun(folder)
  }
}

/** A run reads files: what is written in a benchmark or in knowledge is saved first. */
async function saveCases(): Promise<void> {
  await vscode.workspace.saveAll(false)
}

/** Returns the case that a lens named, else the one at the cursor. Throws where there is none. */
async function caseAt(
  { lenses }: CaseContext,
  uri?: vscode.Uri,
  id?: string,
  run?: string,
): Promise<CasePlace> {
  const document =
    uri === undefined
      ? vscode.window.activeTextEditor?.document
      : await vscode.workspace.openTextDocument(uri)
  const folder = document === undefined ? undefined : folderOf(document.uri)
  if (document === undefined || folder === undefined)
    throw new Error('Open a benchmark file, and put the cursor in a case')
  if (id !== undefined) return { uri: document.uri, folder, id, run }
  const line = (vscode.window.activeTextEditor?.selection.active.line ?? 0) + 1
  const found = (await lenses.of(document)).filter((each) => each.line <= line).at(-1)
  if (found === undefined) throw new Error('Put the cursor in a case of a benchmark file')
  return { uri: document.uri, folder, id: found.id, run: found.last?.run }
}
