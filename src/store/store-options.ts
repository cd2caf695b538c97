import type { Environment } from '../text/secrets.js'

/** Options for opening a run database. */
export interface StoreOptions {
  /** Whether to only read: nothing is created, migrated or renamed. */
  readonly readonly?: boolean | undefined
  readonly now: () => Date
  /** Returns random bytes for run ids; `crypto.randomBytes` if absent. */
  readonly random?: ((bytes: number) => Uint8Array) | undefined
  /** Environment with the secrets that must not be stored; the process's if absent. */
  readonly env?: Environment | undefined
}
