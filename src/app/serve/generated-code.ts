import { z } from 'zod'
import type { PythonWorker } from '../../testgen/python/worker.js'
import { parsedFunction } from './protocol.js'

const timeoutMs = 30_000

/** Returns a file of tests with those of some names in the style of unittest; empty where that cannot be. */
export async function rewriteAsUnittest(
  worker: PythonWorker,
  text: string,
  names: readonly string[],
  qualname: string,
): Promise<string> {
  const words = qualname.split(/[._]/).filter((word) => word !== '')
  const name = `Test${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
  const rewritten = z.object({ text: z.string() })
  return (await worker.call('as_unittest', { text, names, class_name: name }, rewritten, timeoutMs)).text
}

/** Returns the text of each function of a file, by its name. */
export async function testsIn(worker: PythonWorker, text: string): Promise<ReadonlyMap<string, string>> {
  const found = await worker.call('parse_text', { text }, z.array(parsedFunction), timeoutMs)
  const lines = text.split('\n')
  return new Map(
    found.map(({ name, decorators, line_number: line, end_line_number: end }) => [
      name,
      lines.slice(line - 1 - decorators.length, end).join('\n'),
    ]),
  )
}
