/**
 * Runs as a thread of the child: SQLite blocks the child's event loop for as long as a statement runs, so the
 * `disconnect` of a killed parent would be noticed by nobody.
 */
const checkMs = 500
const parent = process.ppid

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, checkMs)
