import { flowParts } from '../../report/console/screen.js'
import type { Terminal } from '../terminal.js'

/** Key to type → what it does, in the order shown. */
export type Choices<Key extends string> = Readonly<Partial<Record<Key, string>>>

/** Asks until one of the keys is typed; undefined where nobody answers any more (end of input, Ctrl-C). */
export async function promptChoice<Key extends string>(
  heading: string,
  choices: Choices<Key>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Key | undefined> {
  const keys = Object.keys(choices).filter((key): key is Key => Object.hasOwn(choices, key))
  const parts = [heading, ...keys.map((key) => `[${key}] ${choices[key]}`)]
  for (;;) {
    // The answer needs some room behind the last choice.
    const lines = flowParts(parts, '  ', { width: terminal.width - 4, color: false })
    const typed = await terminal.ask(`${lines.join('\n')} › `, signal)
    if (typed === undefined) return undefined
    const key = keys.find((known) => known === typed.trim().toLowerCase())
    if (key !== undefined) return key
    terminal.out(`Please answer ${keys.slice(0, -1).join(', ')} or ${keys.at(-1)}.`)
  }
}
