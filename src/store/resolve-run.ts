import { AutotestError } from '../errors.js'

/** The queries that resolving a run name needs. */
interface RunIds {
  readonly latest: () => string | undefined
  readonly recent: () => readonly string[]
  readonly idsWith: (prefix: string) => readonly string[]
}

/** Returns the id for `last` or the beginning of an id (with or without `r-`); else throws `run_unknown`. */
export function resolveRunName(name: string, database: string, { latest, recent, idsWith }: RunIds): string {
  const wanted = name.trim()
  if (wanted === 'last') {
    const id = latest()
    if (id !== undefined) return id
    throw new AutotestError('run_unknown', `${database}: no runs yet`, {
      hint: 'Run `autotest` to record one.',
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
  const listed = recent()
  throw new AutotestError('run_unknown', `no run "${name}" in ${database}`, {
    hint: listed.length === 0 ? 'No runs yet.' : `The latest are ${listed.join(', ')}.`,
  })
}
