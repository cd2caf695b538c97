import type { Environment } from '../text/secrets.js'

/** Options for opening a run database. */
export interface StoreOptions {
  /** Only read: nothing is created, migrated or set aside. */
  readonly readonly?: boolean | undefined
  readonly now: () => Date
  /** Bytes for run ids; `crypto.randomBytes` where absent. */
  readonly random?: ((bytes: number) => Uint8Array) | undefined
  /** Where the secrets are that must not be stored; the process's where absent. */
  readonly env?: Environment | undefined
}
