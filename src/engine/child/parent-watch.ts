import { workerData } from 'node:worker_threads'

/**
 * Runs as a thread of the child: SQLite blocks the child's event loop for as long as a statement runs, so the
 * `disconnect` of a killed parent would go unnoticed.
 */
const checkMs = 500
/** As the child's main thread knew it: while this thread started, the parent may have died and another taken its place. */
const parent: unknown = workerData

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, checkMs)
