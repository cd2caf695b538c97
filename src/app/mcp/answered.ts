import { AutotestError, type ErrorCode, messageOf } from '../../errors.js'
import { bounded } from './bounded-result.js'

/** What to do next, by tools: who has these alone cannot type a command. */
const hints: Partial<Record<ErrorCode, string>> = {
  case_unknown: 'list_cases names the cases of the benchmark, and its argument contains looks for words',
  run_unknown: 'the resource autotest://runs names the latest runs; the tool run makes one',
}

/** Returns what a tool found, as text and as data, or what went wrong and what to do; never throws. */
export async function answered(work: () => Promise<object> | object) {
  try {
    const text = bounded(await work())
    return { content: [{ type: 'text' as const, text }], structuredContent: JSON.parse(text) }
  } catch (error) {
    const { hint: typed, code } =
      error instanceof AutotestError ? error : { hint: undefined, code: 'internal' as const }
    const isCommand = typed === undefined || /\bautotest\b/u.test(typed)
    const hint = code !== 'internal' && isCommand ? (hints[code] ?? typed) : typed
    return {
      isError: true,
      content: [{ type: 'text' as const, text: bounded({ error: messageOf(error), code, hint }) }],
    }
  }
}
