/**
 * Does work that may write the project's files: with the project's lock, and after undoing the unfinished
 * writes of a killed run. Loaded on use: most runs write nothing.
 */
export async function withProjectLock<Result>(
  root: string,
  onRecovered: (text: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const { lockProject } = await import('../../edit/project-lock.js')
  const lock = await lockProject(root)
  try {
    const { recoverUnfinishedWrites } = await import('../../edit/journal.js')
    for (const { runId, restored } of await recoverUnfinishedWrites(root)) {
      if (restored.length > 0)
        onRecovered(`run ${runId} was killed while writing files; restored ${restored.join(', ')}`)
    }
    return await work()
  } finally {
    lock.release()
  }
}

/**
 * Undoes the unfinished writes of a killed run before files of the project are read: what is worked out from a half-written
 * project would leave out what is there already, and is then taken back. Takes the lock only where there are such writes.
 */
export async function recoverBeforeReading(root: string, onRecovered: (text: string) => void): Promise<void> {
  const { hasUnfinishedWrites } = await import('../../edit/journal.js')
  if (await hasUnfinishedWrites(root)) await withProjectLock(root, onRecovered, async () => undefined)
}
