import * as vscode from 'vscode'
import type { GateRecord } from '../server/protocol.js'
import type { Servers } from '../server/servers.js'

/** Asks which gate to answer, and how; nothing is chosen for the user. Returns whether one was answered. */
export async function answerGate(
  servers: Servers,
  folders: readonly vscode.WorkspaceFolder[],
): Promise<boolean> {
  const open = await openGates(servers, folders)
  if (open.length === 0) {
    void vscode.window.showInformationMessage('No gate waits for a decision.')
    return false
  }
  const chosen = await vscode.window.showQuickPick(
    open.map(({ gate, folder }) => ({
      ...{ gate, folder, label: gate.question, detail: gate.details.join(' · ') },
      description: `${gate.id} · ${gate.subject} · until ${gate.expiresAt.slice(0, 10)}`,
    })),
    { title: 'Gates that wait for a decision', placeHolder: 'Which one?' },
  )
  if (chosen === undefined) return false
  const { gate, folder } = chosen
  const option = await vscode.window.showQuickPick(
    gate.options.map(({ choice, text }) => ({ choice, label: `${choice}: ${text}` })),
    { title: gate.question, placeHolder: gate.details[0] ?? 'What is to be done?' },
  )
  if (option === undefined) return false
  const answer = { id: gate.id, choice: option.choice }
  const { next } = await servers.request<{ readonly next: string }>(folder, 'answer_gate', answer)
  void vscode.window.showInformationMessage(`${gate.id} is answered: ${option.label}. Next: ${next}`)
  return true
}

/** Returns the gates of some folders that can be answered. */
export async function openGates(
  servers: Servers,
  folders: readonly vscode.WorkspaceFolder[],
): Promise<readonly { readonly folder: vscode.WorkspaceFolder; readonly gate: GateRecord }[]> {
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await servers.request<readonly GateRecord[]>(folder, 'gates', {})).map((gate) => ({ folder, gate })),
    ),
  )
  return found.flat()
}
