import type { Diagnosis } from './plan.js'

const keyPrefix = 'restore:'

/** The key of a cluster for which only what git has of an entry is tried. */
export function restoreClusterOf(entry: string, word = ''): string {
  return `${keyPrefix}${entry}:${word.toLowerCase()}`
}

export function isRestoreCluster({ cluster }: Pick<Diagnosis, 'cluster'>): boolean {
  return cluster?.startsWith(keyPrefix) === true
}
