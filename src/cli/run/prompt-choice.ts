import { flowParts } from '../../report/console/screen-layout.js'
import type { Terminal } from '../terminal.js'

/** Key to type → its action, in the order shown. */
export type Choices<Key extends string> = Readonly<Partial<Record<Key, string>>>

/** Asks until one of the keys is typed; undefined if there is no more input (end of input, Ctrl-C). */
export async function promptChoice<Key extends string>(
  heading: string,
  choices: Choices<Key>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Key | undefined> {
  const keys = Object.keys(choices).filter((key): key is Key => Object.hasOwn(choices, key))
  const parts = [heading, ...keys.map((key) => `[${key}] ${choices[key]}`)]
  for (;;) {
    // The answer needs some space after the last choice.
    const lines = flowParts(parts, '  ', { width: terminal.width - 4, color: false })
    const typed = await terminal.ask(`${lines.join('\n')} › `, signal)
    if (typed === undefined) return undefined
    const key = keys.find((known) => known === typed.trim().toLowerCase())
    if (key !== undefined) return key
    terminal.out(`Please answer ${keys.slice(0, -1).join(', ')} or ${keys.at(-1)}.`)
  }
}
