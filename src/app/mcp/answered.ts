import { AutotestError, messageOf } from '../../errors.js'
import { bounded } from './bounded-result.js'

/** Returns what a tool found, as text and as data, or what went wrong and what to do; never throws. */
export async function answered(work: () => Promise<object> | object) {
  try {
    const text = bounded(await work())
    return { content: [{ type: 'text' as const, text }], structuredContent: JSON.parse(text) }
  } catch (error) {
    const { hint, code } = error instanceof AutotestError ? error : { hint: undefined, code: 'internal' }
    return {
      isError: true,
      content: [{ type: 'text' as const, text: bounded({ error: messageOf(error), code, hint }) }],
    }
  }
}
