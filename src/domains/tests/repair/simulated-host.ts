import { posix } from 'node:path'
import type { HostFunction } from '../../../subagent/script/run-tool-script.js'
import { isOutside } from '../../../testgen/host-functions.js'
import { preparedHost } from '../call-tool.js'
import type { SessionPool } from '../python-sessions.js'
import type { Probe } from '../tool-case.js'

/** A host whose answers come from memory, so that hundreds of versions of a script can be tried on one probe. */
export interface SimulatedHost {
  /** Returns the functions for one run of a script, which starts with the probe's workspace. */
  run(): {
    readonly functions: Readonly<Record<string, HostFunction>>
    /** Text of a file afterwards; null if there is none. */
    text(path: string): Promise<string | null>
  }
  /** Keys and short words in the answers so far. */
  words(): ReadonlySet<string>
}

/** What a run of tests depends on when files were written before it: it is not remembered. */
const functionNames = [
  'target',
  'python_functions',
  'check_python',
  'read_file',
  'run_pytest',
  'last_run',
  'written_files',
]

/** Creates the host of a probe. What is asked for the first time is asked of a real workspace. */
export function createSimulatedHost(probe: Probe, sessions: SessionPool): SimulatedHost {
  const known = new Map<string, Promise<unknown>>()
  const answers: unknown[] = []

  /** Asks a fresh workspace in which some files were written. */
  function real(name: string, args: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, string>) {
    const key = JSON.stringify([name, args, [...files]])
    const found = known.get(key)
    if (found !== undefined) return found
    const asking = sessions.use(async (session) => {
      const host = await preparedHost(probe, session)
      for (const [path, text] of files) await host.functions['write_file']?.({ path, text })
      // What a script may catch is an answer, too.
      return Promise.resolve(host.functions[name]?.(args)).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
    })
    known.set(key, asking)
    return asking
  }

  async function answer(
    name: string,
    args: Readonly<Record<string, unknown>>,
    files: ReadonlyMap<string, string>,
  ) {
    const found = (await real(name, args, files)) as { readonly value?: unknown; readonly error?: unknown }
    if ('error' in found) throw found.error
    answers.push(found.value)
    return found.value
  }

  return {
    run() {
      const written = new Map<string, string>()
      let ran: string | undefined
      const functions: Record<string, HostFunction> = {}
      for (const name of functionNames)
        functions[name] = (args) => answer(name, args, name === 'run_pytest' ? written : new Map())
      return {
        functions: {
          ...functions,
          read_file: async (args) => {
            const path = posix.normalize(String(args['path']))
            return written.get(path) ?? answer('read_file', args, new Map())
          },
          write_file: async (args) => {
            const { path, text } = args
            if (typeof path !== 'string' || typeof text !== 'string')
              return answer('write_file', args, new Map())
            const plain = posix.normalize(path)
            const folder = posix.dirname(probe.target.test_path)
            if (isOutside(path)) return { written: false, reason: `${path} is outside of the workspace` }
            if (folder !== '.' && !plain.startsWith(`${folder}/`))
              return { written: false, reason: `the role may write only to ${folder}, not to ${plain}` }
            written.set(plain, text)
            return { written: true, reason: null }
          },
          run_pytest: (args) => {
            ran = String(args['path'])
            return answer('run_pytest', args, written)
          },
          last_run: (args) =>
            ran === undefined
              ? answer('last_run', args, new Map())
              : answer('run_pytest', { path: ran }, written),
          written_files: async (args) => {
            const before = await answer('written_files', args, new Map())
            return [...new Set([...(Array.isArray(before) ? before : []), ...written.keys()])].sort()
          },
        },
        text: async (path) => {
          const own = written.get(path)
          if (own !== undefined) return own
          const found = await answer('read_file', { path }, new Map()).catch(() => null)
          return typeof found === 'string' ? found : null
        },
      }
    },
    words: () => wordsIn(answers),
  }
}

/** Returns the keys of values, and the texts in them that are single words. */
function wordsIn(values: readonly unknown[]): ReadonlySet<string> {
  const words = new Set<string>()
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === 'string' && /^[a-z_]{3,20}$/.test(value)) words.add(value)
    if (typeof value !== 'object' || value === null || depth > 5) return
    if (!Array.isArray(value)) for (const key of Object.keys(value)) words.add(key)
    for (const each of Object.values(value)) visit(each, depth + 1)
  }
  visit(values, 0)
  return words
}
