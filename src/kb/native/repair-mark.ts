import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import type { RepairMark } from '../knowledge-adapter.js'

/** A comment of SQL, YAML or Markdown that says it, alone on its line. */
const comment = /^[ \t]*(?:--|#|\/\*|<!--)[ \t]*autotest:[ \t]*never repair\b/imu
const key = /^repair:[ \t]*(?:never|'never'|"never")[ \t]*(?:#.*)?\r?$/mu

/** Returns the mark of a person that a file must not be edited by a repair; undefined if there is none. */
export function repairMark(path: string, snapshot: Snapshot): RepairMark | undefined {
  const text = readText(snapshot, path)
  if (text === undefined) return undefined
  const isMetric = /\.ya?ml$/iu.test(path)
  const found = comment.exec(text) ?? (isMetric ? key.exec(text) : null)
  if (found === null) return undefined
  return { path, line: text.slice(0, found.index).split('\n').length, text: found[0].trim() }
}
