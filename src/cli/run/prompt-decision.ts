import type {
  Answer,
  Decide,
  HeldRepairQuestion,
  RepairsAnswer,
  RepairsQuestion,
} from '../../app/run/user-decision.js'
import { wrap } from '../../report/console/screen-layout.js'
import type { CommandContext } from '../command-context.js'
import { countRepairs } from './print-settlement.js'
import { type Choices, promptChoice } from './prompt-choice.js'

type Key = 'y' | 'n' | 'r' | 'p' | 'd'

const answers: Readonly<Record<Exclude<Key, 'd'>, RepairsAnswer>> = {
  y: 'commit',
  n: 'keep',
  r: 'revert',
  p: 'one_by_one',
}

/** Creates the prompt that asks at the terminal how to settle the repairs. */
export function createDecisionPrompt(context: Pick<CommandContext, 'terminal' | 'signal'>): Decide {
  return (question) => {
    if (question.kind === 'held_repair') return askAboutHeld(question, context)
    return question.scope === 'all' ? askAboutAll(question, context) : askAboutGroup(question, context)
  }
}

async function askAboutHeld(
  { repair, reason }: HeldRepairQuestion,
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
): Promise<Answer | undefined> {
  terminal.out('')
  for (const line of wrap(`Held: ${repair.title}. ${reason}`, terminal.width, 4)) terminal.out(line)
  for (;;) {
    const choices = { a: 'accept anyway', n: 'leave as it is', d: 'diff' }
    const key = await promptChoice<'a' | 'n' | 'd'>('This repair is proved:', choices, terminal, signal)
    if (key === undefined) return undefined
    if (key !== 'd') return key === 'a' ? 'accept' : 'leave'
    for (const { diff } of repair.edits) terminal.out(`${diff.trimEnd()}\n`)
  }
}

async function askAboutAll(
  { repairs, commitObstacle, options }: RepairsQuestion,
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
): Promise<Answer | undefined> {
  terminal.out('')
  if (commitObstacle !== undefined) {
    const text = `${commitObstacle}: repairs can be kept or reverted, but not committed.`
    for (const line of wrap(text, terminal.width, 4)) terminal.out(line)
  }
  const choices: Choices<Key> = {
    ...(options.includes('commit') ? { y: 'commit' } : {}),
    n: 'keep in the working tree',
    r: 'revert',
    ...(options.includes('one_by_one') ? { p: 'one by one' } : {}),
    d: 'diff',
  }
  for (;;) {
    const key = await promptChoice(`${countRepairs(repairs.length)} ready:`, choices, terminal, signal)
    if (key === undefined) return undefined
    if (key !== 'd') return answers[key]
    for (const { edits } of repairs) for (const { diff } of edits) terminal.out(`${diff.trimEnd()}\n`)
  }
}

async function askAboutGroup(
  { repairs, options }: RepairsQuestion,
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
): Promise<Answer | undefined> {
  const choices = { ...(options.includes('commit') ? { y: 'commit' } : {}), n: 'keep', r: 'revert' }
  const title = repairs.map((attempt) => attempt.title).join(' + ')
  const key = await promptChoice<'y' | 'n' | 'r'>(`${title}:`, choices, terminal, signal)
  return key === undefined ? undefined : answers[key]
}
