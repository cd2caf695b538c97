import { AutotestError } from '../errors.js'

/** The queries that resolving a run name needs. */
interface RunIds {
  /** The latest runs, newest first. */
  readonly recent: (count: number) => readonly string[]
  readonly idsWith: (prefix: string) => readonly string[]
}

/** `last`, or a number of runs before it. */
const relative = /^(?:last(?:~(\d{1,4}))?|(previous))$/

/**
 * Returns the id for `last`, `last~2` (two before it), `previous` (the one before it), or the beginning of an id (with or
 * without `r-`); else throws `run_unknown`.
 */
export function resolveRunName(name: string, database: string, { recent, idsWith }: RunIds): string {
  const wanted = name.trim()
  const named = relative.exec(wanted)
  if (named !== null) {
    const back = named[2] === undefined ? Number(named[1] ?? 0) : 1
    const runs = recent(back + 1)
    const id = runs[back]
    if (id !== undefined) return id
    throw runs.length === 0
      ? new AutotestError('run_unknown', `${database}: no runs yet`, {
          hint: 'Run `autotest` to record one.',
        })
      : new AutotestError('run_unknown', `no run "${name}" in ${database}`, {
          hint: `It has ${runs.length === 1 ? '1 run' : `${runs.length} runs`}: the oldest is ${runs.at(-1)}.`,
        })
  }
  const prefix = wanted.startsWith('r-') ? wanted : `r-${wanted}`
  const ids = idsWith(prefix)
  const [id] = ids
  if (id !== undefined && (ids.length === 1 || ids.includes(prefix))) return ids.length === 1 ? id : prefix
  if (id !== undefined && wanted !== '') {
    throw new AutotestError('run_unknown', `"${name}" matches ${ids.length} runs`, {
      hint: `Give more characters: ${ids.slice(0, 5).join(', ')}.`,
    })
  }
  const listed = recent(3)
  throw new AutotestError('run_unknown', `no run "${name}" in ${database}`, {
    hint: listed.length === 0 ? 'No runs yet.' : `The latest are ${listed.join(', ')}.`,
  })
}
