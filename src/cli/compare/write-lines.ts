import type { Writable } from 'node:stream'

/** Writes a line and resolves when the stream accepts more; to false if the output was closed (`| head`). */
export type LineWriter = (text: string) => Promise<boolean>

export function lineWriter(stream: Writable): LineWriter {
  let gone = false
  // The stream's owner handles the error; here it only means the end.
  stream.on('error', () => {
    gone = true
  })
  return async (text) => {
    if (gone) return false
    if (!stream.write(`${text}\n`)) await drainOrEnd(stream)
    return !gone
  }
}

function drainOrEnd(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'error', 'close']
    const done = (): void => {
      for (const event of events) stream.off(event, done)
      resolve()
    }
    for (const event of events) stream.on(event, done)
  })
}
