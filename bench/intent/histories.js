// Which histories there are: each change of bench/intent/changes with each of the words that people may have written about it.
import { readData } from './projects.js'

/** By their letter. */
export const groups = {
  A: 'A changed on purpose',
  B: 'B no reason given',
  C: 'C only other words',
  D: 'D only names the edit',
}

// Each change is committed once without a reason, and each second change in another history once more.
const mostWithoutReason = 2

/**
 * All histories as `{id, group, half, project, change, before, commit, after, merge}`; a commit is `{message, …}` with what
 * `editsOf` in scratch.js reads. `half` depends on the words alone, so that the same words are never in both.
 */
export function allHistories() {
  const noReason = readData('no-reason.yaml').map(expanded)
  let next = 0
  return ['sample', 'billing', 'clinic'].flatMap((project) =>
    readData(`changes/${project}.yaml`).flatMap((change, index) => {
      const without = Array.from(
        { length: 1 + (index % mostWithoutReason) },
        () => noReason[next++ % noReason.length],
      )
      const told = {
        A: (change.purpose ?? []).map(expanded),
        B: without,
        C: change.older.map(expanded),
        D: (change.edit_only ?? []).map(expanded),
      }
      return Object.entries(told).flatMap(([group, words]) =>
        words.map((each, number) => ({
          id: `${project}/${change.name}/${group}${number + 1}`,
          group,
          half: hash(JSON.stringify(each)) % 2 === 0 ? 'dev' : 'held',
          project,
          change,
          ...each,
        })),
      )
    }),
  )
}

/** A text alone is the message of the commit that makes the change. */
function expanded(words) {
  if (typeof words === 'string') return { before: undefined, commit: { message: words }, after: undefined }
  const { before, after, merge, message = 'Refactor', ...more } = words
  return { before, commit: { message, ...more }, after, merge }
}

/** FNV-1a, 32 bits, folded: its lowest bit alone depends on the lowest bits of the text alone. */
function hash(text) {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0
  return (value ^ (value >>> 15) ^ (value >>> 7)) >>> 0
}
