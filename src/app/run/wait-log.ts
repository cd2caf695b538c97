/** How often a log says what is waited for, in milliseconds. */
const waitLogMs = 60_000

/** Passes on what is waited for once a minute: a log shows no countdown, and a run that is silent for minutes looks like one that hangs. */
export function createWaitLog(log: (text: string) => void): (text: string) => void {
  let logged = Number.NEGATIVE_INFINITY
  return (text) => {
    if (text === '' || performance.now() - logged < waitLogMs) return
    logged = performance.now()
    log(text)
  }
}
