import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { readRegularFile } from '../../platform/read-regular-file.js'
import type { PythonWorker } from '../../testgen/python/worker.js'
import { type ParsedFunction, parsedFunction } from './protocol.js'

/** Parses files for an editor, and keeps what came of a text until another text of that file comes. */
export interface FileParser {
  /**
   * Returns the functions of a file. Throws `python_syntax` with the line.
   *
   * @param path absolute
   * @param text unsaved text; absent: what the file has
   */
  parse(path: string, text: string | undefined): Promise<readonly ParsedFunction[]>
}

const mostFiles = 500
const timeoutMs = 30_000
const functions = z.array(parsedFunction)

/** @param ask does work with a Python, which it starts anew where it has ended */
export function createFileParser(
  ask: <Result>(work: (worker: PythonWorker) => Promise<Result>) => Promise<Result>,
): FileParser {
  const known = new LRUCache<
    string,
    { readonly hash: string; readonly found: Promise<readonly ParsedFunction[]> }
  >({
    max: mostFiles,
  })
  return {
    async parse(path, given) {
      const text = given ?? (await readRegularFile(path)).toString('utf8')
      const hash = createHash('sha256').update(text).digest('hex')
      const before = known.get(path)
      if (before?.hash === hash) return before.found
      const found = ask((worker) => worker.call('parse_text', { text }, functions, timeoutMs))
      known.set(path, { hash, found })
      found.catch(() => {
        // An error may be that of the helper: the next request tries again.
        if (known.get(path)?.hash === hash) known.delete(path)
      })
      return found
    },
  }
}
