import type { Redactor } from '../text/secrets.js'

/** How a table is written: in a transaction of the store, without secrets. */
export interface TableAccess {
  readonly write: <T>(work: () => T) => T
  readonly redact: Redactor
  readonly random: (bytes: number) => Uint8Array
}

/** Inserts a row under a short id that nobody has: a letter and four hexadecimal digits, more if those are used already. */
export function insertWithId(
  letter: string,
  random: TableAccess['random'],
  insert: (id: string) => boolean,
): string {
  for (let bytes = 2; ; bytes++) {
    const id = `${letter}-${Buffer.from(random(bytes)).toString('hex')}`
    if (insert(id)) return id
  }
}
