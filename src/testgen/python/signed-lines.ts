import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Lines between this process and the worker in the sandbox, each with a code by which both know who wrote it: what the worker
 * runs may find a way to its pipes, but not to the key.
 */
export interface SignedLines {
  /** What the worker is given first, before anything of the project runs. */
  readonly key: Buffer
  sign(text: string): string
  /** Returns the text of a line that the worker wrote; undefined for any other. */
  read(line: string): string | undefined
}

export function createSignedLines(): SignedLines {
  const key = randomBytes(32)
  const code = (direction: 'request' | 'answer', text: string): Buffer =>
    Buffer.from(createHmac('sha256', key).update(`${direction} ${text}`).digest('hex'))
  return {
    key,
    sign: (text) => `${code('request', text)} ${text}\n`,
    read(line) {
      const space = line.indexOf(' ')
      const text = line.slice(space + 1)
      const [given, expected] = [Buffer.from(line.slice(0, Math.max(0, space))), code('answer', text)]
      return given.length === expected.length && timingSafeEqual(given, expected) ? text : undefined
    },
  }
}
