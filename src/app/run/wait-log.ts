/** How often a log reports a wait, in milliseconds. */
const waitLogMs = 60_000

/**
 * Returns a function that passes on messages about waiting once a minute: a log shows no countdown, and a run
 * that is silent for minutes seems to hang.
 */
export function createWaitLog(log: (text: string) => void): (text: string) => void {
  let logged = Number.NEGATIVE_INFINITY
  return (text) => {
    if (text === '' || performance.now() - logged < waitLogMs) return
    logged = performance.now()
    log(text)
  }
}
