/** Shorter parts of a secret may stand in any text. */
const shortestRun = 8

/** How others write a secret: in JSON, in an address, and in base64, alone or within what is encoded with it. */
export function encodingsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(Buffer.from(secret).toString()),
    ...inBase64(secret).filter((text) => text.length >= shortestRun),
  ]
}

/** As `Basic` and `Bearer` have it: what stands before a secret decides which of three texts it becomes. */
function inBase64(secret: string): string[] {
  const alone = Buffer.from(secret).toString('base64').replace(/=+$/, '')
  const within = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    // Six bits a character: those that hold bits of a neighbour, too, differ from text to text.
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
  })
  return [alone, ...within].flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')])
}

/** Every run of so many characters of the secrets, however each was cut or masked. */
export function runsOf(secrets: readonly string[]): ReadonlySet<string> {
  const runs = new Set<string>()
  for (const secret of secrets)
    for (let at = 0; at + shortestRun <= secret.length; at++) runs.add(secret.slice(at, at + shortestRun))
  return runs
}

/** A text with *** in place of whatever consists of runs. */
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
