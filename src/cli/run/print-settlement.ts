import type { CommitPreview, SettlementEvent } from '../../app/run/settlement-events.js'
import { flowParts } from '../../report/console/screen-layout.js'
import type { Terminal } from '../terminal.js'

/** Prints what happened to the repairs in the working tree. */
export function printSettlement(event: SettlementEvent, terminal: Terminal): void {
  switch (event.kind) {
    case 'matches_last_commit':
      printFacts(`Nothing to commit: ${event.paths.join(', ')} · unchanged since the last commit`, terminal)
      return
    case 'repairs_uncommitted':
      printFacts(uncommittedText(event), terminal)
      return
    case 'repairs_kept':
      printFacts(`Kept · undo with autotest revert ${event.runId}`, terminal)
      return
    case 'repair_committed':
      terminal.out(`Committed ${event.hash.slice(0, 7)}  ${event.title}`)
      if (event.warning !== undefined) terminal.out(`  ${event.warning}`)
      return
    case 'commit_refused': {
      const which = event.titles === undefined ? '' : `${event.titles.join('; ')}: `
      terminal.out(`Not committed: ${which}${event.reason}\n  ${event.hint}`)
      return
    }
    case 'no_repository': {
      const hint = event.hint === undefined ? '' : ` ${event.hint}.`
      terminal.out(`Not committed: ${event.reason}. The repairs are in the working tree.${hint}`)
      terminal.out(`  undo with autotest revert ${event.runId}`)
      return
    }
    case 'repair_reverted':
      terminal.out(`Reverted ${event.title}`)
      return
    case 'revert_failed':
      terminal.err(`Not reverted: ${event.title}: ${event.reason}`)
  }
}

/** Returns `2 repairs are`. */
export function countRepairs(count: number): string {
  return count === 1 ? '1 repair is' : `${count} repairs are`
}

/** Prints facts on as few lines as fit the terminal; a log keeps them on one. */
function printFacts(text: string, { out, width, interactive }: Terminal): void {
  if (!interactive) out(text)
  else for (const line of flowParts(text.split(' · '), ' · ', { width, color: false })) out(line)
}

function uncommittedText(event: Extract<SettlementEvent, { readonly kind: 'repairs_uncommitted' }>): string {
  const { runId, repairs, paths, repairId, preview } = event
  const which = repairId === undefined ? '' : ` --repair ${repairId}`
  const undo = `undo with autotest revert ${runId}${which}`
  const facts = `${countRepairs(repairs)} in the working tree, not committed: ${paths.join(', ')} · ${undo}`
  return preview === undefined ? facts : `${facts}${previewText(preview, repairs)}`
}

function previewText({ committable, reason }: CommitPreview, repairs: number): string {
  if (committable === 0) return reason === undefined ? '' : ` · cannot be committed: ${reason}`
  const all = repairs === 1 ? 'it' : 'them'
  return ` · --yes would have committed ${committable === repairs ? all : `${committable} of them`}`
}
