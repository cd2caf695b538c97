/** What the address of the page says: which cases, which words, and which case is open. */
export interface Address {
  readonly filter?: string | undefined
  readonly search?: string | undefined
  readonly group?: string | undefined
  readonly case?: string | undefined
}

/** Returns what the part of the address behind # says. */
export function readAddress(): Address {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
}

/** Puts a part of what is shown into the address, so that it can be sent to somebody; an empty text takes it out. */
export function writeAddress(changed: Address): void {
  const parts = new URLSearchParams(location.hash.slice(1))
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined || value === '') parts.delete(name)
    else parts.set(name, value)
  }
  history.replaceState(null, '', `#${parts}`)
}

/** Names the case that was opened last. */
export function rememberCase(id: string): void {
  writeAddress({ case: id })
}
