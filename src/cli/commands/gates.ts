import { realpath } from 'node:fs/promises'
import type { ExitCode } from '../../app/exit-code.js'
import { settleGate } from '../../app/gates/answer-gate.js'
import { databasePath } from '../../app/project/project.js'
import { projectConfig } from '../../app/project/project-config.js'
import { gateLines } from '../../report/console/gates.js'
import { isOpen } from '../../store/gate-rows.js'
import { openStore } from '../../store/store.js'
import type { CommandContext } from '../command-context.js'
import type { GateAnswerFlags, GatesFlags } from '../tdd-flags.js'

/** Prints what waits for a decision. */
export async function listGatesCommand(flags: GatesFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd, now } = context
  const config = await projectConfig(cwd, flags.config)
  const store = await openStore(databasePath({ cwd, db: flags.db }, config), { now })
  try {
    const root = await realpath(config.root)
    const gates = store.gates.ofProject(root).filter((gate) => flags.all === true || isOpen(gate, now()))
    if (flags.json === true) terminal.out(JSON.stringify(gates, null, 2))
    else if (gates.length === 0) terminal.out('Nothing waits for a decision.')
    else for (const line of gates.flatMap((gate) => gateLines(gate, now()))) terminal.out(line)
    return 0
  } finally {
    store.close()
  }
}

/** Records the answer to a gate. */
export async function answerGateCommand(flags: GateAnswerFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd, now } = context
  const config = await projectConfig(cwd, flags.config)
  const store = await openStore(databasePath({ cwd, db: flags.db }, config), { now })
  try {
    const request = { cwd, config: flags.config, db: flags.db }
    const onNote = (text: string): void => terminal.err(`note  ${text}`)
    const { gate, option, next } = await settleGate(store, flags, request, { onNote, now })
    terminal.out(`${gate.id}: ${option.choice}) ${option.text}`)
    terminal.out(`next  ${next}`)
    return 0
  } finally {
    store.close()
  }
}
