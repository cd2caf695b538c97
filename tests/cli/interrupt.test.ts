import { expect, it } from 'vitest'
import { listenToInterrupts } from '../../src/cli/interrupt.js'
import type { AutotestError } from '../../src/errors.js'

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s asks a command to end, and what that throws is no bug',
  (ending) => {
    const interrupt = listenToInterrupts()
    try {
      const bug = new TypeError('x is not a function')
      const abort = new DOMException('This operation was aborted', 'AbortError')
      expect(interrupt.causeOf(abort)).toBe(abort)
      process.emit(ending)
      expect(interrupt.signal.aborted).toBe(true)
      expect(interrupt.causeOf(bug)).toBe(bug)
      for (const thrown of [
        abort,
        interrupt.signal.reason,
        new Error('stopped', { cause: interrupt.signal.reason }),
      ])
        expect(interrupt.causeOf(thrown)).toMatchObject({
          code: 'interrupted',
        } satisfies Partial<AutotestError>)
    } finally {
      interrupt.stopListening()
    }
  },
)
