import { readFileSync } from 'node:fs'
import { applyDrift, type Drift, loadDrifts } from '../../src/app/demo/drift.js'
import { samplePath } from './sample-root.js'

/** The documented drifts of the demo, in order. */
export const drifts = await loadDrifts(samplePath('demo/drift.yaml'))

/** The files that a drift changes, as it leaves them; fails where a `search` does not stand exactly once. */
export function driftedFiles(drift: Drift): Map<string, string> {
  const files = new Set(drift.edits.map(({ file }) => file))
  return new Map([...files].map((file) => [file, applyDrift(readFileSync(file, 'utf8'), file, drift)]))
}
