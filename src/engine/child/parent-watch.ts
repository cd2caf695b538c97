import { workerData } from 'node:worker_threads'

/**
 * Runs as a thread of the child: SQLite blocks the child's event loop while a statement runs, so that the
 * `disconnect` of a killed parent would not be noticed.
 */
const checkMs = 500
/** Read by the child's main thread: while this thread started, the parent may have died and been replaced. */
const parent: unknown = workerData

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, checkMs)
