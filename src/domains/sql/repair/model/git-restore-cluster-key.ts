import type { Diagnosis } from './sql-repair-types.js'

const keyPrefix = 'restore:'

/** Returns the key of a cluster for which only the git history of an entry is tried. */
export function restoreClusterOf(entry: string, word = ''): string {
  return `${keyPrefix}${entry}:${word.toLowerCase()}`
}

export function isRestoreCluster({ cluster }: Pick<Diagnosis, 'cluster'>): boolean {
  return cluster?.startsWith(keyPrefix) === true
}
