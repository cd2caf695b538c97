/** Shorter parts of a secret may occur in any text. */
const shortestRun = 8

/**
 * Returns the forms in which a secret may be written: in JSON, in an address, and in base64, alone or within
 * a longer encoded text.
 */
export function encodingsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(Buffer.from(secret).toString()),
    ...inBase64(secret).filter((text) => text.length >= shortestRun),
  ]
}

/** Returns what a program may make of a secret that still reveals it: other letter case, backwards, and hexadecimal. */
export function disguisesOf(secret: string): string[] {
  const backwards = [...secret].reverse().join('')
  const hex = Buffer.from(secret).toString('hex')
  return [secret.toUpperCase(), secret.toLowerCase(), backwards, hex, hex.toUpperCase()]
}

/**
 * Returns the base64 forms, as in `Basic` and `Bearer`: what precedes a secret determines which of three
 * texts it becomes.
 */
function inBase64(secret: string): string[] {
  const alone = Buffer.from(secret).toString('base64').replace(/=+$/, '')
  const within = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    // Six bits per character: those that also contain bits of neighbouring text vary.
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
  })
  return [alone, ...within].flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')])
}

/**
 * Returns every run of that many characters of the secrets, to find parts however a text was truncated or
 * masked.
 */
export function runsOf(secrets: readonly string[]): ReadonlySet<string> {
  const runs = new Set<string>()
  for (const secret of secrets)
    for (let at = 0; at + shortestRun <= secret.length; at++) runs.add(secret.slice(at, at + shortestRun))
  return runs
}

/** Returns a text with *** in place of everything that consists of runs. */
export function withoutRuns(text: string, runs: ReadonlySet<string>): string {
  let shown = ''
  let done = 0
  let end = -1
  for (let at = 0; at + shortestRun <= text.length; at++) {
    if (!runs.has(text.slice(at, at + shortestRun))) continue
    if (at > end) shown += `${text.slice(done, at)}***`
    end = at + shortestRun
    done = end
  }
  return shown + text.slice(done)
}
